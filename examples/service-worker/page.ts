// The page of the service worker. It has ebb as well, for browsers without service workers, and for its first visit.
import { createPolicy, equalJitter } from '@ebb/core';
import { createFetch, type EbbRequestInit } from '@ebb/fetch';

const policy = createPolicy({ maxRetries: 3, backoff: equalJitter({ baseMs: 200, capMs: 5_000 }) });
const retrying = createFetch(policy);

/** Either the page retries or its service worker. With both, three retries each would send sixteen requests. */
export function apiFetch(input: string | URL | Request, init: EbbRequestInit = {}): Promise<Response> {
  const isControlled = navigator.serviceWorker?.controller != null;
  return retrying(input, isControlled ? { ...init, ebb: { ...init.ebb, maxRetries: 0 } } : init);
}

/** Resolves when the service worker controls this page, which is after the first requests of a first visit. */
export async function register(script: string): Promise<void> {
  const { serviceWorker } = navigator;
  const controlled = new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve));
  await serviceWorker.register(script);
  if (serviceWorker.controller === null) await controlled;
}
