import { constant } from '../src/backoff/curves.ts';
import type { Outcome } from '../src/http/outcome.ts';
import type { LayersFound } from '../src/layers/layer.ts';
import { Call } from '../src/loop/call.ts';
import type { PolicyOptions } from '../src/loop/options.ts';
import type { Part, PartInstance } from '../src/loop/part.ts';
import { PartsOfCall } from '../src/loop/parts-of-call.ts';
import { createPolicy } from '../src/loop/policy.ts';
import type { EbbEvent } from '../src/news/events.ts';
import { virtualClock } from '../src/testing.ts';

/** A request without headers. */
export const REQUEST = { method: 'GET', url: 'https://a.test/', replayable: true, header: () => undefined };
export const response = (status: number, judgement?: object): Outcome =>
  ({ type: 'response', status, header: () => undefined, judgement }) as Outcome;
export const lost: Outcome = { type: 'failure', kind: 'network', error: new Error('lost') };
export const late: Outcome = { type: 'failure', kind: 'timeout', error: new Error('late') };

/** A call whose first attempt was sent, with one part, which has these verbs. */
export function callWith(
  options: PolicyOptions = {},
  instance: PartInstance = {},
  around?: LayersFound,
  request = REQUEST,
) {
  const clock = virtualClock({ startMs: 0 });
  const events: EbbEvent[] = [];
  const part: Part = { name: 'own', place: 'reading', begin: () => instance };
  const policy = createPolicy({
    clock,
    random: () => 0,
    backoff: constant(10),
    use: [part],
    onEvent: (event) => events.push(event),
    ...options,
  });
  const call = new Call(policy, request, around);
  call.parts = new PartsOfCall(call);
  call.parts.begin([part]);
  call.attempt = 1;
  return { clock, events, call, told: () => events.map(({ type }) => type) };
}
