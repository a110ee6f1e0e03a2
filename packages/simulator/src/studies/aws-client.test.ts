import type { RetryBudget } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { expect, test } from 'vitest';
import { OK, OUTCOMES, UNAVAILABLE } from '../simulation/outcomes.ts';
import { awsStandardClient } from './aws-client.ts';

const [ok, down] = [OUTCOMES[OK], OUTCOMES[UNAVAILABLE]] as const;

/** A client, and how many retries in a row its quota pays for. */
function setUp() {
  const client = awsStandardClient({ clock: virtualClock(), random: () => 0.5 });
  const budget = client.policy.budget as RetryBudget;
  const paid = (): number => {
    let count = 0;
    while (count < 1_000 && budget.withdraw()) count += 1;
    return count;
  };
  return { client, paid, answered: (attempt: number) => client.onOutcome?.(ok as never, attempt) };
}

test('a retry that succeeds gives back its tokens, 14 successes at once pay for one, and a failure for none', () => {
  const { client, paid, answered } = setUp();
  paid();
  answered(2);
  answered(3);
  expect(paid()).toBe(2);
  // Ten are left of the 500.
  for (let time = 0; time < 3; time += 1) answered(1);
  expect(paid()).toBe(0);
  answered(1);
  expect(paid()).toBe(1);
  client.onOutcome?.(down as never, 1);
  expect(paid()).toBe(0);
});
