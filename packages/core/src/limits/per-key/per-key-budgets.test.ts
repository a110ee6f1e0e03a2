import { expect, test } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import { Call } from '../../call/call.ts';
import { run } from '../../call/run.ts';
import { createPolicy } from '../../policy/policy.ts';
import { virtualClock } from '../../testing.ts';
import { retryBudget } from '../budget/budget.ts';
import { perKey } from './per-key.ts';

test('10,050 POSTs to as many origins all end with their 200', async () => {
  const clock = virtualClock({ startMs: 0 });
  const policy = createPolicy({ clock, budget: perKey(() => retryBudget({ clock }), { clock }) });
  const send = (host: number): Promise<number> => {
    const session = new Call(policy, { ...to(`https://h${host}.test/`), method: 'POST' });
    return run<number>(session, {
      send: async () => 200,
      outcome: (status) => responds(status),
      failure: (error) => ({ type: 'failure', kind: 'unknown', error }),
      setAside: () => undefined,
    });
  };
  const results = await Promise.allSettled(Array.from({ length: 10_050 }, (_, host) => send(host)));
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
});
