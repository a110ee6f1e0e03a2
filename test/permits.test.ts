import { constant, type Limit, type Permit, retry, retryBudget } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { expect, test } from 'vitest';

/** A limit whose permits write how they hear of the end of their attempt. */
function listening() {
  const heard: string[][] = [];
  const give = (): Permit => {
    const told: string[] = [];
    heard.push(told);
    return {
      cancel: () => void told.push('given back'),
      settle: (outcome) => void told.push(outcome.type === 'response' ? `${outcome.status}` : outcome.kind),
    };
  };
  const limit: Limit = { name: 'listening', take: give, planRetry: give };
  return { heard, limit };
}

test('a permit hears once how its attempt has ended, also where a client below has judged it; the retry that was sent stays paid', async () => {
  const { heard, limit } = listening();
  const budget = retryBudget({ reserve: 2, ratio: 0 });
  let calls = 0;
  const lost = new TypeError('lost', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  const inner = createFetch({ backoff: constant(0), maxRetries: 1 }, () => Promise.reject(lost));
  const work = (): Promise<unknown> => {
    calls += 1;
    return calls === 1 ? Promise.reject(lost) : inner('https://a.test/');
  };
  await expect(retry(work, { limits: [limit], budget, backoff: constant(0) })).rejects.toBe(lost);
  expect([calls, heard.join(), budget.balance]).toEqual([2, 'network,aborted,aborted', 1]);
});
