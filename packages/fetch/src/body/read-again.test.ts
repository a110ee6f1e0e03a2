import { concurrencyLimit, inspectBody, type PolicyOptions } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { createFetch } from '../create-fetch.ts';

const READERS = ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text', 'clone'] as const;

const FIRST: Readonly<Record<string, (response: Response) => unknown>> = {
  'was read': (response) => response.text(),
  'was read after a look at `body`': (response) => response.body && response.text(),
  'is being read': (response) => void response.text(),
  'has a reader': (response) => void response.body?.getReader(),
  'was read by a reader': async (response) => {
    const reader = response.body?.getReader();
    while (!(await reader?.read())?.done);
    reader?.releaseLock();
  },
  'was cancelled': (response) => response.body?.cancel(),
};

const covering = { totalTimeoutMs: 60_000, totalTimeoutCovers: 'body' } as const;
const policies: Readonly<Record<string, () => PolicyOptions>> = {
  'a limit': () => ({ concurrency: concurrencyLimit({ maxConcurrent: 9 }) }),
  'a limit and a timeout for bodies': () => ({
    concurrency: concurrencyLimit({ maxConcurrent: 9 }),
    ...covering,
  }),
  'a timeout for bodies': () => covering,
  'a look at bodies': () => ({ inspect: inspectBody(() => undefined) }),
};

/** What a method returns, or how it fails: at once, or by its promise. */
async function called(response: Response, name: (typeof READERS)[number]): Promise<unknown> {
  let result: unknown;
  try {
    result = response[name]();
  } catch (error) {
    return `throws ${error}`;
  }
  return Promise.resolve(result).then(
    () => 'returns',
    (error: unknown) => `rejects with ${error}`,
  );
}

describe.each(Object.entries(policies))('under %s', (_, policy) => {
  test.each(Object.entries(FIRST))('a body that %s fails to be read again as bare', async (__, first) => {
    const server = await serve({ status: 200, headers: { 'content-type': 'application/json' }, body: '1' });
    const get = createFetch(policy());
    for (const name of READERS) {
      const got = [];
      for (const response of [await fetch(server.url), await get(server.url)]) {
        await first(response);
        got.push(await called(response, name));
      }
      expect(got[1], name).toBe(got[0]);
      expect(got[0]).not.toBe('returns');
    }
  });
});
