import {
  attemptsOf,
  createPolicy,
  fullJitter,
  HookError,
  NotSentError,
  type Policy,
  type PolicyOptions,
  perKey,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { seededRandom, type VirtualClock, virtualClock } from '@ebb/core/testing';

const clock: VirtualClock = virtualClock({ startMs: 0 });
const options: PolicyOptions = {
  maxRetries: 2,
  backoff: fullJitter({ baseMs: 100, capMs: 1000 }),
  bucket: perKey(() => tokenBucket({ capacity: 1, refillPerSecond: 1, clock }), { clock }),
  budget: retryBudget({ clock }),
  clock,
  random: seededRandom(1),
};
export const policy: Policy = createPolicy(options);

export function tell(error: unknown): string {
  if (error instanceof NotSentError) return `${error.reason} ${error.waitMs ?? 0}`;
  if (error instanceof HookError) return error.hook;
  return attemptsOf(error)
    .map(({ attempt, reason }) => `${attempt} ${reason}`)
    .join();
}

// @ts-expect-error: not an option
createPolicy({ retries: 3 });
// @ts-expect-error: a string for a number
createPolicy({ maxRetries: '3' });
// @ts-expect-error: no rate
tokenBucket({ capacity: 1 });
// @ts-expect-error: not a policy
createPolicy(3);
// @ts-expect-error: not an option
openai({ repeat: true });
