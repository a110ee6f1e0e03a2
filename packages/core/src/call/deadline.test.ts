import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Outcome } from '../http/outcome.ts';
import { virtualClock } from '../testing.ts';
import {
  Deadline,
  endingOf,
  isReasonOf,
  OutOfTime,
  stopError,
  timeoutError,
  withinBounds,
} from './deadline.ts';

afterEach(() => vi.unstubAllGlobals());

// React Native has no DOMException of its own: its timer would throw a ReferenceError, and the attempt would never end.
test.each([
  ['as AbortSignal.timeout makes it', DOMException, DOMException],
  ['an Error of that name where there is no DOMException', undefined, Error],
])('the error for a timeout is %s', (_, known, type) => {
  vi.stubGlobal('DOMException', known);
  const error = timeoutError(5);
  expect(error).toBeInstanceOf(type);
  expect([error.name, error.message]).toEqual(['TimeoutError', 'no response within 5 ms']);
});

describe('a total timeout', () => {
  test('counts from its beginning', () => {
    const clock = virtualClock({ startMs: 500 });
    const deadline = new Deadline(1_000, clock);
    expect(deadline).toMatchObject({
      startedAtMs: 500,
      timeoutMs: 1_000,
      bindsAttempt: false,
      bindsWait: false,
    });
    clock.tick(300);
    expect(deadline.leftMs).toBe(700);
    clock.tick(800);
    expect(deadline.leftMs).toBe(-100);
  });

  test.each<[passedMs: number, ownMs: number | undefined, boundMs: number, binds: boolean]>([
    [0, 400, 400, false],
    [600, 400, 400, true],
    [700, 400, 300, true],
    [599, 400, 400, false],
    [1_200, 400, 0, true],
    [0, undefined, 1_000, true],
  ])('after %i ms an attempt that may take %s ms has %i', (passedMs, ownMs, boundMs, binds) => {
    const clock = virtualClock();
    const deadline = new Deadline(1_000, clock);
    clock.tick(passedMs);
    expect([deadline.bound(ownMs), deadline.bindsAttempt]).toEqual([boundMs, binds]);
  });

  const timeout: Outcome = { type: 'failure', kind: 'timeout', error: undefined };
  const lost: Outcome = { type: 'failure', kind: 'network', error: undefined };
  const response: Outcome = { type: 'response', status: 503, header: () => undefined };
  const asTimeout = { ...response, kind: 'timeout' } as never;

  test.each<[what: string, outcome: Outcome, ownMs: number | undefined, passedMs: number, hasEnded: boolean]>(
    [
      ['a timeout at its end', timeout, undefined, 1_000, true],
      ['a timeout a fraction of a millisecond before', timeout, undefined, 999.5, true],
      ['a timeout of the client, a millisecond before', timeout, undefined, 999, false],
      ['a timeout of an attempt with a shorter one', timeout, 400, 1_000, false],
      ['a lost connection at its end', lost, undefined, 1_000, false],
      ['a response at its end', response, undefined, 1_000, false],
      ['a response with a field of that name', asTimeout, undefined, 1_000, false],
    ],
  )('%s', (_, outcome, ownMs, passedMs, hasEnded) => {
    const clock = virtualClock();
    const deadline = new Deadline(1_000, clock);
    deadline.bound(ownMs);
    clock.tick(passedMs);
    expect(deadline.hasEnded(outcome)).toBe(hasEnded);
  });
});

describe('work in bounds', () => {
  const set = (leftMs: number, signal?: AbortSignal) => {
    const clock = virtualClock();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let late = 0;
    const bounds = { clock, signal, leftMs, late: () => new Error('late') };
    const ended = withinBounds(promise, bounds, () => {
      late += 1;
    }).catch((error: Error) => error.message);
    return { clock, resolve, reject, ended, late: () => late };
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('settles as the work does, and leaves no timer', async () => {
    const { clock, resolve, ended, late } = set(1_000);
    expect(clock.pending).toBe(1);
    resolve('done');
    expect(await ended).toBe('done');
    expect([clock.pending, late()]).toEqual([0, 0]);
    const failing = set(1_000);
    failing.reject(new Error('failed'));
    expect(await failing.ended).toBe('failed');
    expect(failing.clock.pending).toBe(0);
  });

  test('is late when its time has passed, and what comes after that is given away', async () => {
    const { clock, resolve, ended, late } = set(1_000);
    clock.tick(999);
    await turn();
    clock.tick(1);
    expect(await ended).toBe('late');
    expect(late()).toBe(0);
    resolve('too late');
    await turn();
    expect(late()).toBe(1);
  });

  test.each([0, -1])('with %i ms left it is late at once', async (leftMs) => {
    const { clock, ended } = set(leftMs);
    expect(clock.pending).toBe(0);
    expect(await ended).toBe('late');
  });

  test('without an end it has no timer', async () => {
    const { clock, resolve, ended } = set(Number.POSITIVE_INFINITY);
    expect(clock.pending).toBe(0);
    resolve('done');
    expect(await ended).toBe('done');
  });

  test('an abort ends it with its reason, and nothing stays in the signal', async () => {
    const abort = new AbortController();
    const { clock, ended } = set(1_000, abort.signal);
    abort.abort(new Error('aborted'));
    expect(await ended).toBe('aborted');
    expect(clock.pending).toBe(0);
    expect(await set(1_000, abort.signal).ended).toBe('aborted');
    const other = new AbortController();
    const done = set(1_000, other.signal);
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(1);
    done.resolve('done');
    await done.ended;
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  });

  test('work that comes too late needs no one to take it', async () => {
    const clock = virtualClock();
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = withinBounds(promise, { clock, signal: undefined, leftMs: 0, late: () => 'late' });
    await expect(late).rejects.toBe('late');
    resolve('done');
    await expect(promise.then(turn)).resolves.toBeUndefined();
  });
});

describe('the end by a stopSignal', () => {
  test.each<[what: string, act: (own: AbortController, stop: AbortController) => void, reason: unknown]>([
    ['the caller aborts', (own) => own.abort('left'), 'left'],
    ['the policy stops', (_, stop) => stop.abort('shut'), stopError()],
    ['the caller is first', (own, stop) => [own.abort('left'), stop.abort('shut')], 'left'],
  ])('%s', (_, act, reason) => {
    const [own, stop] = [new AbortController(), new AbortController()];
    const { signal, forget } = endingOf(own.signal, stop.signal, undefined, {});
    expect(signal.aborted).toBe(false);
    act(own, stop);
    expect(signal.reason).toEqual(reason);
    forget();
    for (const each of [own, stop]) expect(getEventListeners(each.signal, 'abort')).toEqual([]);
  });

  test('has begun if the caller had aborted before', () => {
    expect(
      endingOf(AbortSignal.abort('left'), new AbortController().signal, undefined, {}).signal.reason,
    ).toBe('left');
  });
});

test.each<[signal: AbortSignal | undefined, error: unknown, isReason: boolean]>([
  [AbortSignal.abort('left'), 'left', true],
  [AbortSignal.abort('left'), 'other', false],
  [new AbortController().signal, undefined, false],
  [undefined, undefined, false],
])('the reason of an abort: %#', (signal, error, isReason) => {
  expect(isReasonOf(signal, error)).toBe(isReason);
});

test('running out of time is told from all else that is thrown', () => {
  const late = new OutOfTime(5, true);
  expect([late.isTotal, late.timeoutMs, late.message, late.name]).toEqual([
    true,
    5,
    'not sent within 5 ms',
    'TimeoutError',
  ]);
  const others = [new Error('x'), timeoutError(5), null, undefined, 5, 'text', {}, () => 1];
  expect(others.filter((one) => one instanceof OutOfTime)).toEqual([]);
  expect(late).toBeInstanceOf(OutOfTime);
});
