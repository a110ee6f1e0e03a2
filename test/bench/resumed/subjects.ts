import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import { resumable as resumingDispatch } from '@ebb/resume/undici';
import { ebbInterceptor } from '@ebb/undici';
import { Agent, request } from 'undici';

/** Requests a URL; resolves at the headers. */
type Open = (url: string) => Promise<AsyncIterable<Uint8Array>>;

const policy = createPolicy({ backoff: constant(0), maxRetries: 200 });
const isLast = ({ data }: { readonly data: string }): boolean => data.startsWith('{');

type Fetch = (url: string) => Promise<Response>;

function ofFetch(fetch: unknown): Open {
  return async (url) => (await (fetch as Fetch)(url)).body as unknown as AsyncIterable<Uint8Array>;
}

function ofUndici(...above: ReturnType<typeof ebbInterceptor>[]): Open {
  const dispatcher = new Agent().compose(ebbInterceptor(policy), ...above);
  return async (url) => (await request(url, { dispatcher })).body;
}

/** By name, each with the one that it is compared with. */
export const subjects: Readonly<Record<string, readonly [open: Open, base: string]>> = {
  createFetch: [ofFetch(createFetch(policy)), 'createFetch'],
  'createFetch, resuming': [ofFetch(resumable(createFetch(policy), { policy })), 'createFetch'],
  'createFetch, resuming with isLast': [
    ofFetch(resumable(createFetch(policy), { policy, isLast })),
    'createFetch',
  ],
  ebbInterceptor: [ofUndici(), 'ebbInterceptor'],
  'ebbInterceptor, resuming': [ofUndici(resumingDispatch({ policy })), 'ebbInterceptor'],
  'ebbInterceptor, resuming with isLast': [ofUndici(resumingDispatch({ policy, isLast })), 'ebbInterceptor'],
};
