import { expect, test } from 'vitest';
import { constant } from '../backoff/curves.ts';
import { nextTurn } from '../base/clock.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { type AttemptContext, type RetryOptions, retry } from './retry.ts';

/** In a later turn of the microtasks, or of the event loop. */
const waits = [() => undefined, nextTurn];

/** The line of the caller is in the stack of what a call fails with. */
test.each<[story: string, options: PolicyOptions, more?: RetryOptions<never>]>([
  ['at once', { maxRetries: 0 }],
  ['after a wait', {}],
  ['after a delay of 0', { backoff: constant(0) }],
  ['with a timeout', { attemptTimeoutMs: 10_000 }],
  ['with a total timeout', { totalTimeoutMs: 10_000 }],
  ['with a signal', {}, { signal: new AbortController().signal }],
  ['with a stop signal', { stopSignal: new AbortController().signal }],
  ['with a hook', { trustedOrigins: () => true, beforeAttempt: async () => undefined }],
])('an error of a function has the line of the caller: %s', async (_, options, more) => {
  for (const wait of waits) {
    const fails = async (_: AttemptContext): Promise<never> => {
      await wait();
      throw new Error('down');
    };
    async function thisCaller(): Promise<void> {
      await retry(fails, { maxRetries: 1, backoff: constant(1), ...options }, more);
    }
    const error: unknown = await thisCaller().catch((thrown: unknown) => thrown);
    expect((error as Error).stack).toMatch(/fails.*caller-stack\.test[\s\S]*thisCaller.*caller-stack\.test/);
  }
});
