import type { Fetch } from '../rivals/rival.ts';

const HEADERS: [string, string][] = [
  ['content-type', 'text/plain'],
  ['date', 'Sat, 21 Nov 2026 12:00:00 GMT'],
];

class Bare {
  readonly status = 200;
  readonly ok = true;
}

/** Returns an object that is new each time, as a real response is, and has no headers. */
export const withoutHeaders: Fetch = async () => new Bare() as Response;

export const withHeaders: Fetch = async () => new Response('hello', { headers: HEADERS });

/** Reads the body, as nearly every caller does. */
export function reading(send: Fetch): () => Promise<string> {
  return async () => (await send(URL)).text();
}

export const URL = 'http://upstream.test/';
