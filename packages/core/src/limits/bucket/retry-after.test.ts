import { expect, test } from 'vitest';
import type { InspectAdvice, Outcome } from '../../http/outcome.ts';
import { retryAfter } from './options.ts';

// Two seconds are asked for, or nothing.
test.each<[status: number, advice: InspectAdvice | undefined, pauseMs: number, tooFast: boolean]>([
  [429, undefined, 2_000, true],
  [503, undefined, 2_000, false],
  [404, undefined, 0, false],
  [429, { verdict: 'final' }, 0, false],
  [400, { verdict: 'refused' }, 2_000, false],
  [503, { verdict: 'transient' }, 2_000, false],
])('the bucket pauses for a response that is about load: %i, %j', (status, advice, pauseMs, tooFast) => {
  const header = (name: string): string | undefined => (name === 'retry-after' ? '2' : undefined);
  const outcome: Outcome = { type: 'response', status, header, advice };
  expect(retryAfter(outcome, 0)).toMatchObject({ waitMs: 2_000, pauseMs, tooFast });
});

test('a failure and a success say nothing', () => {
  const header = (name: string): string | undefined => (name === 'retry-after' ? '2' : undefined);
  expect(retryAfter({ type: 'failure', kind: 'network', error: undefined }, 0)).toBeUndefined();
  expect(retryAfter({ type: 'response', status: 200, header }, 0)).toBeUndefined();
});
