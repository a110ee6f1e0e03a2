import diagnostics from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import { REQUEST, response } from '../../test/call-with-limits.ts';
import { judge, prepare } from '../../test/steps.ts';
import { constant } from '../backoff/curves.ts';
import type { EbbEvent } from '../events/events.ts';
import { createPolicy } from '../policy/policy.ts';
import { virtualClock } from '../testing.ts';
import { Call } from './call.ts';

const subscribed: (() => void)[] = [];
afterEach(() => {
  for (const unsubscribe of subscribed.splice(0)) unsubscribe();
});

/** The events of some channels, from now on. */
function listen(...types: EbbEvent['type'][]): EbbEvent[] {
  const events: EbbEvent[] = [];
  for (const type of types) {
    const listener = (event: unknown): void => void events.push(event as EbbEvent);
    diagnostics.subscribe(`ebb:${type}`, listener);
    subscribed.push(() => diagnostics.unsubscribe(`ebb:${type}`, listener));
  }
  return events;
}

async function send(onEvent?: (event: EbbEvent) => void): Promise<void> {
  const clock = virtualClock({ startMs: 7 });
  const call = new Call(createPolicy({ backoff: constant(0), clock, onEvent }), REQUEST);
  for (const status of [503, 200]) {
    await prepare(call);
    judge(call, response(status));
  }
}

test('every event is published on the channel of its type, and is that of the observer', async () => {
  const events = listen('attempt', 'retry', 'end');
  const observed: EbbEvent[] = [];
  await send((event) => observed.push(event));
  expect(observed).toHaveLength(4);
  for (const [index, event] of observed.entries()) expect(event).toBe(events[index]);
  expect(events).toMatchObject([
    { type: 'attempt', attempt: 1, atMs: 7, request: { method: 'GET', url: 'https://a.test/' } },
    { type: 'retry', attempt: 1, delayMs: 0, reason: 'transient' },
    { type: 'attempt', attempt: 2 },
    { type: 'end', attempt: 2, reason: 'success' },
  ]);
});

test('without an observer the channels that are heard alone are told', async () => {
  const events = listen('end');
  await send();
  expect(events).toMatchObject([{ type: 'end' }]);
});
