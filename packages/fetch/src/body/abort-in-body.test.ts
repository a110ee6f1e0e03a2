import { concurrencyLimit, constant, type PolicyOptions } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serve } from '../../../../test/serve.ts';
import { createFetch } from '../index.ts';

// Node 22's fetch cancels the body of an aborted request. If ebb cancels it in the same turn, a promise inside fetch rejects
// unhandled, which ends the process.
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
let others: NodeJS.UnhandledRejectionListener[] = [];

beforeAll(() => {
  others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('unhandledRejection', note);
  for (const other of others) process.on('unhandledRejection', other);
});

beforeEach(() => {
  unhandled.length = 0;
});

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await nextTurn();
}

describe('an abort during a body causes no unhandled rejection', () => {
  const concurrency = (): PolicyOptions => ({ concurrency: concurrencyLimit({ maxConcurrent: 1 }) });

  test.each<[string, () => PolicyOptions]>([
    ['an error body, read ahead for its slot', () => ({ ...concurrency(), maxRetries: 0 })],
    ['an error body, kept while a retry waits', () => ({ backoff: constant(60_000) })],
    ['an error body, kept for a retry and its slot', () => ({ ...concurrency(), backoff: constant(60_000) })],
    [
      'an error body, with a bound on the attempt',
      () => ({ backoff: constant(60_000), attemptTimeoutMs: 60_000 }),
    ],
  ])('%s', async (_, optionsOf) => {
    for (const turnsBefore of [0, 1, 5, 20]) {
      const server = await serve('endless-503');
      const begun = new Promise<void>((resolve) => {
        server.onHang = resolve;
      });
      const controller = new AbortController();
      const call = createFetch(optionsOf())(server.url, { signal: controller.signal });
      const settled = call.then((response) => response.text()).catch((error: unknown) => error);
      await begun;
      await turns(turnsBefore);
      controller.abort(new Error('enough'));
      expect(await settled).toBeInstanceOf(Error);
      await turns(5);
    }
    expect(unhandled).toEqual([]);
  });

  test('a body that is not read', async () => {
    const server = await serve('endless-503');
    const controller = new AbortController();
    const options = { ...concurrency(), maxRetries: 0 };
    const response = await createFetch(options)(server.url, { signal: controller.signal });
    await turns(20);
    controller.abort(new Error('enough'));
    await turns(20);
    expect(response.status).toBe(503);
    expect(unhandled).toEqual([]);
  });
});
