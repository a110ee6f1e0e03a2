import { expect, test, vi } from 'vitest';
import { clockOfWorker, current, ended, inRequest } from '../../../test/worker-requests.ts';
import { type DueTry, HedgeKey } from './hedge-plan.ts';
import { newHedgeState } from './rule.ts';

vi.mock('../../core/src/platform/no-worker.ts', () => import('../../core/src/platform/worker.ts'));

test('a request is hedged on a timer of its own', async () => {
  const { clock, advance } = clockOfWorker();
  const rule = { quantile: 0.95, delayMs: 10, minDelayMs: 1, share: 1 };
  const key = new HedgeKey(newHedgeState(rule), clock);
  const due: string[] = [];
  for (const name of ['a', 'b']) {
    const one = {
      dueMs: clock.now(),
      due: () => void due.push(`${name} ${clock.now()} in ${current}`),
    } as DueTry;
    Object.assign(one, { next: one, previous: one });
    inRequest(name, () => key.join(one));
    ended.add('a');
    await advance(5);
  }
  await advance(100);
  expect(due).toEqual(['b 15 in b']);
});
