import { expect, test } from 'vitest';
import { NotSentError } from '../base/errors.ts';
import type { Outcome } from '../http/outcome.ts';
import { type RetryOptions, retry } from '../retry/retry.ts';
import { virtualClock } from '../testing.ts';
import type { Blocker, Part, PartInstance } from './part.ts';
import { createPolicy } from './policy.ts';

const part = (instance: PartInstance): Part => ({ name: 'own', place: 'throttle', begin: () => instance });

/** Fails `failures` times, with a virtual backoff of 10 ms. */
async function call(own: Part, failures: number, options?: RetryOptions<number>): Promise<number> {
  const clock = virtualClock();
  const policy = createPolicy({ use: [own], backoff: () => 10, clock });
  let calls = 0;
  const failing = async (): Promise<number> => {
    calls += 1;
    if (calls <= failures) throw new Error(`failure ${calls}`);
    return calls;
  };
  return clock.runUntilSettled(retry(failing, policy, options));
}

test('each attempt enters and leaves a part that brings nothing that waits', async () => {
  const seen: string[] = [];
  const own = part({
    acquire: () => void seen.push('acquire'),
    leave: (outcome: Outcome | undefined) => void seen.push(`leave ${outcome?.type}`),
    end: (reason) => void seen.push(`end ${reason}`),
  });
  expect(await call(own, 2)).toBe(3);
  expect(seen).toEqual([
    ...['acquire', 'leave failure'],
    ...['acquire', 'leave failure'],
    ...['acquire', 'leave response', 'end success'],
  ]);
});

test('a refusal of a retry ends the call with what the attempt before has settled with', async () => {
  let tokens = 1;
  const own = part({
    acquire() {
      if (tokens === 0) throw new NotSentError('Not sent');
      tokens -= 1;
      return undefined;
    },
  });
  await expect(call(own, 3)).rejects.toThrow('failure 1');
  await expect(call(own, 0)).rejects.toThrow('Not sent');
});

test('a part whose wait never helps fails its request, and does not spin for ever', async () => {
  const blocker: Blocker = { wait: async () => 1 };
  await expect(call(part({ acquire: () => blocker }), 0)).rejects.toThrow(
    'a part still lacks what it has waited for 1,000 times',
  );
});
