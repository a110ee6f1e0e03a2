import { describe, expect, test } from 'vitest';
import { checkFeedback, plainFeedback } from './feedback.ts';
import type { InspectResult, Outcome } from './outcome.ts';

describe('what a policy without a bucket reads of a response', () => {
  const judged: InspectResult = { verdict: 'transient' };

  test.each<[story: string, status: number, advice: InspectResult | undefined, waitMs: number | undefined]>([
    ['the wait of an error', 503, undefined, 5_000],
    ['of the first error', 400, undefined, 5_000],
    ['no wait of a success', 200, undefined, undefined],
    ['of a success that goes again', 299, judged, 5_000],
    ['no wait of a redirect', 300, judged, undefined],
    ['nor of the last of them', 399, judged, undefined],
    ['nor without advice', 300, undefined, undefined],
  ])('%s', (_, status, advice, waitMs) => {
    const header = (name: string) => (name === 'retry-after' ? '5' : undefined);
    const said = plainFeedback({ type: 'response', status, header, advice }, 0);
    expect(said).toEqual(waitMs && { pauseMs: 0, remaining: undefined, tooFast: false, waitMs });
  });

  test('nothing of an error without a wait, nor of a failure', () => {
    const outcomes: Outcome[] = [
      { type: 'response', status: 503, header: () => undefined },
      { type: 'failure', kind: 'network', error: 0 },
    ];
    for (const outcome of outcomes) expect(plainFeedback(outcome, 0)).toBeUndefined();
  });
});

test('a `feedback` is a function, or false', () => {
  expect(() => checkFeedback('f: feedback', false)).not.toThrow();
  expect(() => checkFeedback('f: feedback', plainFeedback)).not.toThrow();
  expect(() => checkFeedback('f: feedback', true)).toThrow('f: feedback must be a function, got true');
});
