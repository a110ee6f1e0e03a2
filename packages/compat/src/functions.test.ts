import { retry } from '@ebb/core';
import { describe, expect, test, vi } from 'vitest';

import { AbortError } from './abort-error.ts';
import { likeAsyncRetry, withBail } from './async-retry.ts';
import { makeRetriable } from './make-retriable.ts';
import { likePRetry } from './p-retry.ts';

const endOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
const failing = (...errors: unknown[]) => {
  let calls = -1;
  return vi.fn(async () => {
    calls += 1;
    throw errors[Math.min(calls, errors.length - 1)];
  });
};
const quick = { retries: 2, minTimeout: 1 };

describe('likePRetry', () => {
  test('an AbortError stops the retries, and the call fails with what is in it', async () => {
    const error = new Error('404');
    const seen: unknown[] = [];
    const call = vi.fn(async () => {
      const abort = new AbortError(error);
      seen.push(abort instanceof AbortError, error instanceof AbortError, new Error() instanceof AbortError);
      throw abort;
    });
    expect(await endOf(retry(call, likePRetry(quick)))).toBe(error);
    expect([call.mock.calls.length, seen]).toEqual([1, [true, true, false]]);
    // The call has ended: a call around it may retry its error.
    expect(error instanceof AbortError).toBe(false);
  });

  test('its functions may read the members of the error, as up to p-retry 6', async () => {
    const seen: unknown[] = [];
    const error = Object.assign(new RangeError('no'), { status: 503 });
    const onFailedAttempt = (failed: RangeError & { attemptNumber: number; status: number }): void =>
      void seen.push(failed.message, failed.status, failed.attemptNumber, failed instanceof RangeError);
    await endOf(
      retry(failing(error), likePRetry({ ...quick, retries: 0, onFailedAttempt: onFailedAttempt as never })),
    );
    expect(seen).toEqual(['no', 503, 1, true]);
  });
});

describe('likeAsyncRetry', () => {
  test.each<[string, unknown, unknown]>([
    ['an error', new RangeError('no'), expect.any(RangeError)],
    ['a text', 'no', 'no'],
    ['nothing', undefined, expect.objectContaining({ message: 'Aborted' })],
  ])('bail with %s ends the call at once', async (_, given, error) => {
    const run = vi.fn((bail: (error?: unknown) => void) => {
      bail(given);
      return new Promise(() => undefined);
    });
    expect(await endOf(retry(withBail(run), likeAsyncRetry(quick)))).toEqual(error);
    expect(run.mock.calls).toEqual([[expect.any(Function), 1]]);
  });

  test('an error with bail is not retried', async () => {
    const call = failing(Object.assign(new Error('no'), { bail: true }));
    expect(await endOf(retry(call, likeAsyncRetry(quick)))).toMatchObject({ message: 'no' });
    expect(call).toHaveBeenCalledTimes(1);
  });

  test('the call fails with the error that came most often', async () => {
    const [often, once] = [new Error('often'), new Error('once')];
    const call = failing(often, often, once);
    expect(await endOf(retry(call, likeAsyncRetry(quick)))).toBe(often);
    expect(call).toHaveBeenCalledTimes(3);
  });

  test('onRetry is called with an error if another attempt follows', async () => {
    const onRetry = vi.fn();
    const error = new Error('no');
    await endOf(retry(failing(error), likeAsyncRetry({ ...quick, onRetry })));
    expect(onRetry.mock.calls).toEqual([
      [error, 1],
      [error, 2],
    ]);
  });

  test('with forever the last delay comes again', () => {
    const { backoff } = likeAsyncRetry({ retries: 2, minTimeout: 10, randomize: false, forever: true });
    const delays = [1, 2, 3, 9].map((count) =>
      backoff?.({ retry: count, previousDelayMs: undefined, random: () => 0 }),
    );
    expect(delays).toEqual([10, 20, 20, 20]);
  });

  test.each<[object, RegExp]>([
    [{ retries: -1 }, /retries must be/],
    [{ unref: true }, /unref .*clock/],
    [{ forEver: true }, /no option "forEver"/],
  ])('%j is refused', (options, message) => expect(() => likeAsyncRetry(options)).toThrow(message));
});

describe('makeRetriable', () => {
  test('retries each call of a function, with its object and arguments', async () => {
    let calls = 0;
    const counter = {
      name: 'a',
      load: makeRetriable(async function (this: { name: string }, one: number, other: string) {
        calls += 1;
        if (calls < 3) throw new Error('no luck');
        return [this.name, one, other, calls];
      }, quick),
    };
    expect(await counter.load(5, 'b')).toEqual(['a', 5, 'b', 3]);
    calls = -9;
    expect(await endOf(counter.load(5, 'b'))).toEqual(new Error('no luck'));
  });

  test('has the defaults of p-retry, and refuses what likePRetry does', async () => {
    expect(await makeRetriable(() => 1)()).toBe(1);
    expect(() => makeRetriable(() => 1, { unref: true as never })).toThrow('likePRetry: unref');
  });
});
