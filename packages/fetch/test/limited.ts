import { type ConcurrencyLimit, concurrencyLimit, constant, createPolicy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect } from 'vitest';
import { createFetch } from '../src/index.ts';
import { serveWith } from './serve-with.ts';

export const SHORT = 'a short body';

/** A fetch with one slot, over a server that behaves according to the path. */
export async function limited(baseFetch: typeof fetch = fetch, clock = virtualClock({ startMs: 0 })) {
  const gates = new Map<string, () => void>();
  const { url } = await serveWith((request, response) => {
    const path = request.url ?? '';
    const type = { 'content-type': 'text/plain' };
    if (path === '/short') response.writeHead(200, { ...type, 'content-length': SHORT.length }).end(SHORT);
    else if (path === '/json') response.writeHead(200).end('{"a":1}');
    else if (path === '/404') response.writeHead(404, { 'content-length': SHORT.length }).end(SHORT);
    else if (path === '/empty') response.writeHead(200, { 'content-length': 0 }).end();
    else if (path === '/204') response.writeHead(204).end();
    else if (path === '/999') response.writeHead(999, 'Re\u00e4son', type).end(SHORT);
    else if (path === '/long') response.writeHead(200).end(Buffer.alloc(8_000_000, 'x'));
    else if (path === '/form') response.writeHead(200, type).end(SHORT);
    else if (path === '/gated') {
      response.writeHead(200, type).write('12345');
      gates.set('open', () => response.end('67890'));
      gates.set('break', () => response.destroy());
    } else response.writeHead(500).end();
  });
  const concurrency: ConcurrencyLimit = concurrencyLimit({ maxConcurrent: 1, clock });
  const policy = createPolicy({ concurrency, backoff: constant(0), maxRetries: 0, clock });
  const ebbFetch = createFetch(policy, baseFetch);
  return {
    get: (path: string, init?: RequestInit) => ebbFetch(new URL(path, url), init),
    bare: (path: string) => baseFetch(new URL(path, url)),
    inUse: () => concurrency.stats().inUse,
    gate: (name: 'open' | 'break') => gates.get(name)?.(),
    clock,
  };
}

export const isFree = (inUse: () => number) => expect.poll(inUse, { timeout: 5_000 }).toBe(0);
