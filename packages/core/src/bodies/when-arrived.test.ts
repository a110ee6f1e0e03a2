import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { nextTurn } from '../base/clock.ts';
import type { NodeReadable } from '../http/body.ts';
import { virtualClock } from '../testing.ts';
import { whenArrived, whenBodyEnds } from './watch.ts';

type State = Partial<Record<'complete' | 'destroyed' | 'readableEnded' | 'writableEnded', boolean>>;

function setUp(state: State, source?: State | null) {
  const clock = virtualClock({ startMs: 0 });
  const stream = Object.assign(new EventEmitter(), state);
  const ended = vi.fn();
  whenArrived(stream as unknown as NodeReadable, source, clock, ended);
  return { clock, stream, ends: () => ended.mock.calls.length };
}

test.each<[stream: State, source: State | null | undefined, isOver: boolean]>([
  [{ complete: true }, undefined, true],
  [{ destroyed: true }, undefined, true],
  [{ readableEnded: true }, undefined, true],
  [{ writableEnded: true }, undefined, true],
  [{ complete: false, destroyed: false, readableEnded: false }, undefined, false],
  [{}, null, false],
  // The message behind a stream that decompresses tells more.
  [{}, { complete: true }, true],
  [{ destroyed: true }, { complete: false }, false],
  [{ complete: false }, { complete: true }, false],
  [{ destroyed: true }, {}, true],
])('a stream that is %j over a message that is %j has arrived: %s', async (state, source, isOver) => {
  const { clock, ends } = setUp(state, source);
  expect(ends()).toBe(isOver ? 1 : 0);
  await nextTurn();
  expect([ends(), clock.pending]).toEqual(isOver ? [1, 0] : [0, 1]);
});

test('a stream is looked at in the next turn, and then each quarter of a second', async () => {
  const early = setUp({ complete: false });
  early.stream.complete = true;
  await nextTurn();
  expect([early.ends(), early.clock.pending]).toEqual([1, 0]);
  const late = setUp({ complete: false });
  const schedule = vi.spyOn(late.clock, 'schedule');
  await nextTurn();
  await late.clock.advance(300);
  late.stream.complete = true;
  await late.clock.advance(199);
  expect(late.ends()).toBe(0);
  await late.clock.advance(1);
  expect([late.ends(), late.clock.pending]).toEqual([1, 0]);
  // They keep no process alive.
  expect(schedule.mock.calls.map(([, delayMs, inBackground]) => [delayMs, inBackground])).toEqual([
    [250, true],
    [250, true],
  ]);
});

test.each(['end', 'close'])('the event %s ends it', (name) => {
  const { stream, ends } = setUp({});
  stream.emit(name);
  expect(ends()).toBe(1);
});

test.each<[story: string, make: () => unknown, method: string, status: number]>([
  ['a HEAD', () => new Response('x'), 'HEAD', 200],
  ['a 204', () => new Response(null, { status: 204 }), 'GET', 204],
  ['a 205', () => new Response(null, { status: 205 }), 'GET', 205],
  ['a 304', () => new Response(null, { status: 304 }), 'GET', 304],
  ['nothing', () => undefined, 'GET', 200],
  ['a text', () => 'x', 'GET', 200],
  ['a response without a body', () => ({ body: null }), 'GET', 200],
  ['a mock whose members throw', () => Object.defineProperty({}, 'body', { get: throwing() }), 'GET', 200],
])('the body of %s has ended at once', (_, make, method, status) => {
  const ended = vi.fn();
  const context = { method, status, signal: undefined, clock: virtualClock({ startMs: 0 }) };
  whenBodyEnds(make(), context as never, ended);
  expect(ended).toHaveBeenCalled();
});
