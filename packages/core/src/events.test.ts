import { expect, test } from 'vitest';
import { constant } from './backoff.ts';
import type { EbbEvent } from './events.ts';
import type { Outcome, RequestTraits } from './outcome.ts';
import { createPolicy } from './policy.ts';
import { begin } from './session.ts';

const request: RequestTraits = {
  method: 'GET',
  url: 'http://upstream/',
  replayable: true,
  header: () => undefined,
};
const answer = (status: number): Outcome => ({ type: 'response', status, header: () => undefined });

test('an observer is told what became of each attempt, as the policy saw it', async () => {
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const session = begin(createPolicy({ backoff: constant(0), onEvent }), request);
  const outcomes = [answer(503), answer(200)];
  for (const outcome of outcomes) {
    await session?.ready();
    session?.judge(outcome);
  }
  expect(events.map(({ type, attempt }) => [type, attempt])).toEqual([
    ['attempt', 1],
    ['retry', 1],
    ['attempt', 2],
    ['end', 2],
  ]);
  expect(events.flatMap((event) => ('outcome' in event ? [event.outcome] : []))).toEqual(outcomes);
  for (const event of events) expect(event.request).toBe(request);
});

test('an end before an attempt has no outcome', async () => {
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => void events.push(event);
  const session = begin(createPolicy({ onEvent }), request);
  await expect(session?.ready(AbortSignal.abort('enough'))).rejects.toBe('enough');
  expect(events).toMatchObject([{ type: 'end', attempt: 0, reason: 'aborted', outcome: undefined }]);
});
