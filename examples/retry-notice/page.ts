import { createPolicy, exponential } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { createElement, type ReactElement, StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { type Send, useRequest } from './use-request.ts';

const fetch = createFetch(
  createPolicy({ backoff: exponential({ baseMs: 4_000, capMs: 60_000 }), maxRetries: 2 }),
);

function Tea({ send }: { readonly send: Send<string> }): ReactElement {
  const shown = useRequest(send);
  switch (shown.state) {
    case 'loading':
      return createElement('p', { role: 'status' }, 'Loading …');
    case 'waiting':
      // A timer is not read out each second, as a status would be.
      return createElement('p', { role: 'timer' }, `Retrying in ${shown.seconds} s`);
    case 'done':
      return createElement('p', { role: 'status' }, shown.value);
    case 'failed':
      return createElement('p', { role: 'alert' }, `No tea: ${shown.error}`);
  }
}

/** Shows what a URL returns, in an element of the page. */
export function mount(container: Element, url: string): Root {
  const send: Send<string> = async (signal, onEvent) => {
    const response = await fetch(url, { signal, ebb: { onEvent } });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.text();
  };
  const root = createRoot(container);
  root.render(createElement(StrictMode, null, createElement(Tea, { send })));
  return root;
}
