import { expect, test, vi } from 'vitest';
import { HookError, NotSentError } from '../base/errors.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import { virtualClock } from '../testing.ts';
import { emit, type ReportedCall } from './emit.ts';
import { DETAILS, detailsOf, type EbbEvent, type EventFields } from './events.ts';
import { reportedError, reportedOutcome } from './report-fields.ts';

const request: RequestTraits = {
  method: 'GET',
  url: 'https://a.test/x?key=1',
  replayable: true,
  header: () => 'secret',
};
const reported = { method: 'GET', url: 'https://a.test/x' };
const busy: Outcome = { type: 'response', status: 503, header: () => 'secret' };

function setUp() {
  const events: EbbEvent[] = [];
  const clock = virtualClock({ startMs: 7 });
  const call: ReportedCall = {
    policy: { onEvent: (event) => void events.push(event), clock },
    request,
    attempt: 2,
  };
  return { events, call };
}

const error = new NotSentError('no', undefined, { reason: 'queue-full' });

test.each<[fields: EventFields, said: object, details: object]>([
  [{ type: 'attempt' }, {}, { outcome: undefined, error: undefined }],
  [
    { type: 'retry', delayMs: 5, reason: 'transient', outcome: busy },
    { delayMs: 5, reason: 'transient', outcome: { type: 'response', status: 503 } },
    { outcome: busy, error: undefined },
  ],
  [
    { type: 'end', reason: 'limited', outcome: undefined, error },
    { reason: 'limited', outcome: undefined, error: { name: 'NotSentError', reason: 'queue-full' } },
    { outcome: undefined, error },
  ],
])('%o', (fields, said, details) => {
  const { events, call } = setUp();
  emit(call, fields);
  expect(events).toStrictEqual([{ type: fields.type, ...said, request: reported, attempt: 2, atMs: 7 }]);
  expect(detailsOf(events[0] as EbbEvent)).toEqual({ request, ...details });
  // Copies and logs leave the details out.
  expect(Object.getOwnPropertyDescriptor(events[0], DETAILS)?.enumerable).toBe(false);
  expect(detailsOf({ ...(events[0] as EbbEvent) })).toBeUndefined();
});

test('without anyone who listens nothing is built', () => {
  const now = vi.fn(() => 0);
  const call: ReportedCall = {
    policy: { clock: { now, schedule: () => () => undefined } },
    request,
    attempt: 1,
  };
  emit(call, { type: 'mark' });
  expect([now.mock.calls.length, call.reported]).toEqual([0, undefined]);
});

test('what an outcome is reported as', () => {
  const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  expect(reportedOutcome(busy)).toStrictEqual({ type: 'response', status: 503 });
  expect(reportedOutcome({ type: 'failure', kind: 'network', error: reset })).toStrictEqual({
    ...{ type: 'failure', kind: 'network', code: 'ECONNRESET' },
  });
  expect(reportedOutcome({ type: 'failure', kind: 'unknown', error: 0 })).toStrictEqual({
    type: 'failure',
    kind: 'unknown',
  });
});

test.each<[error: unknown, said: object]>([
  [new HookError('cost', new Error('x')), { name: 'HookError', hook: 'cost' }],
  [
    new NotSentError('no', undefined, { reason: 'queue-full' }),
    { name: 'NotSentError', reason: 'queue-full' },
  ],
  [
    new NotSentError('no', 5, { reason: 'queue-full' }),
    { name: 'NotSentError', reason: 'queue-full', waitMs: 5 },
  ],
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), { name: 'Error', code: 'ECONNRESET' }],
  [new RangeError('x'), { name: 'RangeError' }],
  ['text', { name: 'string' }],
  [undefined, { name: 'undefined' }],
])('%s is reported as %o', (given, said) => {
  expect(reportedError(given)).toStrictEqual(said);
});
