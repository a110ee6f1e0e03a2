import { constant, createPolicy } from '@ebb/core';
import { hedged } from '@ebb/hedge/fetch';
import { describe, expect, test } from 'vitest';
import { versions } from '../../undici/test/clients.ts';
import { type BaseFetch, createFetch } from './create-fetch.ts';

const URL = 'http://127.0.0.1:1/';
const policy = createPolicy({ maxRetries: 0 });

/** The line of the caller is in the stack of what a call fails with. */
async function callerIn(fetch: BaseFetch, init?: RequestInit): Promise<boolean> {
  async function thisCaller(): Promise<void> {
    await fetch(URL, init);
  }
  const error = await thisCaller().catch((thrown: Error) => thrown);
  return /thisCaller.*caller-stack\.test/.test((error as Error).stack ?? '');
}

// The fetch of the undici package writes the line of its caller into its errors, found by what awaits it.
describe.each(Object.entries(versions))('an error of fetch of %s has the line of the caller', (_, undici) => {
  const base = undici.fetch as unknown as BaseFetch;

  test.each<[story: string, fetch: BaseFetch, init?: RequestInit]>([
    ['without ebb', base],
    ['plain', createFetch(policy, base)],
    ['with a signal', createFetch(policy, base), { signal: new AbortController().signal }],
    ['with a timeout', createFetch({ maxRetries: 0, attemptTimeoutMs: 10_000 }, base)],
    ['after a wait', createFetch({ maxRetries: 1, backoff: constant(1) }, base)],
    [
      'after a delay of 0',
      createFetch({ maxRetries: 1, backoff: constant(0), totalTimeoutMs: 10_000 }, base),
    ],
    ['hedged', createFetch(policy, hedged(base, { policy }))],
    ['hedged, with a signal', hedged(base, { policy }), { signal: new AbortController().signal }],
  ])('%s', async (_story, fetch, init) => {
    expect(await callerIn(fetch, init)).toBe(true);
  });
});
