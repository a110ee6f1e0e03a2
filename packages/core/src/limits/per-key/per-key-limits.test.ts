import { describe, expect, test, vi } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import { throwing } from '../../../test/throwing.ts';
import { isSameClock } from '../../base/clock.ts';
import { HookError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import { startLimit } from '../../call/permits.ts';
import type { ReadFeedback } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { Limit, LimitPerCall } from '../../policy/limit.ts';
import { virtualClock } from '../../testing.ts';
import { type LimitOfKey, LimitPerKey, type PerKeyOptions } from './per-key.ts';

const IDLE_MS = 1_000;

/** A subclass may evict idle limits itself. */
class Limits extends LimitPerKey {
  evictIdle(): void {
    this.tidy();
  }
}

const requestTo = (key: string) => to(`https://${key}.test/`);

/** Limits that are made by key of these, and else are idle. */
function setUp(given: Readonly<Record<string, LimitOfKey>> = {}, options: PerKeyOptions = {}) {
  const clock = virtualClock({ startMs: 0 });
  const limits = new Limits((key) => given[key] ?? { stats: () => ({ idle: true }) }, {
    ...{ keyOf: ({ url }) => new URL(url).hostname.slice(0, -5), maxKeys: 100, idleMs: IDLE_MS, clock },
    ...(options as object),
  });
  const look = (...keys: readonly string[]): number[] =>
    keys.map((key) => {
      limits.for(requestTo(key));
      return limits.size;
    });
  return { clock, limits, look };
}

describe('a limit in a call', () => {
  const call = { request: requestTo('a'), policy: {} } as CallView;

  /** Calls to the key `a`, whose limit is this one. */
  function callsTo(own: Partial<Limit>) {
    const limit: Limit = { name: 'own', ...own };
    const set = setUp({ a: { limit: { limit }, stats: () => ({ idle: true }) } });
    const begin = () => {
      const stands = (set.limits.limit.limit as LimitPerCall).forCall(call).limit;
      stands.started?.(call);
      return stands;
    };
    /** Whether the key is there after its time. */
    const isKept = (): boolean => {
      set.clock.tick(IDLE_MS);
      set.look('other');
      return set.limits.size === 2;
    };
    return { ...set, begin, isKept };
  }

  test('is kept until its last call has ended', () => {
    const told: unknown[] = [];
    const { begin, isKept } = callsTo({
      started: () => void told.push('started'),
      ended: (_, reason) => void told.push(reason),
    });
    const [one, other] = [begin(), begin()];
    expect(isKept()).toBe(true);
    one.ended?.(call, 'success');
    expect(isKept()).toBe(true);
    other.ended?.(call, 'final');
    expect(isKept()).toBe(false);
    expect(told).toEqual(['started', 'started', 'success', 'final']);
  });

  test('is asked as its own', () => {
    const permit = { cancel: () => undefined };
    const retry = { reason: 'transient', delayMs: 1 } as const;
    const own = { take: vi.fn(() => permit), planRetry: vi.fn(() => permit), whenBodyEnds: vi.fn() };
    const stands = callsTo({ ...own, isForInner: true }).begin();
    expect(stands).toMatchObject({ name: 'own', isForInner: true, whenBodyEnds: own.whenBodyEnds });
    expect([stands.take?.(call, permit), stands.planRetry?.(call, retry)]).toEqual([permit, permit]);
    expect([own.take.mock.calls, own.planRetry.mock.calls]).toEqual([[[call, permit]], [[call, retry]]]);
  });

  test('of each key that a call moves to sees it start and end, and is kept until then', () => {
    const told: string[] = [];
    const own = (key: string): LimitOfKey => {
      const limit: Limit = {
        name: 'own',
        started: () => void told.push(`${key} started`),
        take: () => void told.push(`${key} take`),
        ended: (_, reason) => void told.push(`${key} ${reason}`),
      };
      return { limit: { limit }, stats: () => ({ idle: true }) };
    };
    const { limits, clock, look } = setUp({ a: own('a'), b: own('b') });
    const moving = { ...call, moves: true, request: requestTo('a') } as CallView;
    const stands = (limits.limit.limit as LimitPerCall).forCall(moving).limit;
    stands.started?.(moving);
    for (const key of ['a', 'b', 'b']) stands.take?.({ ...moving, request: requestTo(key) }, undefined);
    clock.tick(IDLE_MS);
    expect(look('other')).toEqual([3]);
    stands.ended?.(moving, 'success');
    clock.tick(IDLE_MS);
    expect(look('more')).toEqual([1]);
    const [start, ends] = [
      ['a started', 'a take', 'b started', 'b take', 'b take'],
      ['a success', 'b success'],
    ];
    expect(told).toEqual([...start, ...ends]);
  });

  test('that has none of the verbs needs nothing, and is not kept', () => {
    const { begin, isKept } = callsTo({});
    const stands = begin();
    const asked = [
      stands.take?.(call, undefined),
      stands.planRetry?.(call, { reason: 'transient', delayMs: 1 }),
    ];
    stands.ended?.(call, 'success');
    expect([asked, stands.isForInner, isKept()]).toEqual([[undefined, undefined], false, false]);
  });

  test('that refuses a call is not kept for it', () => {
    const { begin, isKept } = callsTo({ started: throwing(new Error('no')) });
    expect(begin).toThrow('no');
    expect(isKept()).toBe(false);
  });

  test('that is no limit of ebb, or one per key, is an error', () => {
    const inner = setUp();
    for (const made of [{}, inner.limits]) {
      const { limits } = setUp({ a: made }, { clock: inner.clock });
      const begin = (): unknown => (limits.limit.limit as LimitPerCall).forCall(call);
      expect(begin).toThrow(HookError);
      expect(begin).toThrow('make failed: its result must be a limit');
    }
  });

  test('stands for that of all keys', () => {
    expect(setUp().limits.limit.limit).toMatchObject({ name: 'per-key' });
  });

  test.each([true, false])('is asked by inner clients as its own: isForInner %s', (isForInner) => {
    const started = vi.fn();
    const { limits } = callsTo({ isForInner, started });
    startLimit({ ...call, isInner: true, permits: undefined }, limits.limit);
    expect(started).toHaveBeenCalledTimes(isForInner ? 1 : 0);
  });
});

describe('what a policy asks of limits that are made for single keys', () => {
  test('is asked of the one that was made last', () => {
    const asked: unknown[] = [];
    const checkCalls: LimitOfKey['checkCalls'] = ({ clock, priority }) =>
      void asked.push([isSameClock(clock as Clock, set.clock), priority]);
    const set = setUp({ a: { checkCalls } });
    const { limits, clock, look } = set;
    limits.checkCalls({ clock, priority: 1 });
    look('a');
    limits.checkCalls({ clock, priority: 2 });
    look('other');
    limits.checkCalls({ clock, priority: 3 });
    expect(asked).toEqual([
      [true, undefined],
      [true, 2],
    ]);
  });

  test('another clock is an error', () => {
    const { limits } = setUp();
    expect(() => limits.checkCalls({ clock: virtualClock() })).toThrow('The clock of perKey differs');
  });

  test('a response is read as the one that was made last reads it, or plainly', () => {
    const said = { pauseMs: 5, remaining: undefined, tooFast: true };
    const own: ReadFeedback = () => said;
    const { limits, look } = setUp({ a: { feedback: own }, b: { feedback: false } });
    const read = () => limits.feedback(responds(503, { 'retry-after': '2' }), 0);
    const plain = { pauseMs: 0, remaining: undefined, tooFast: false, waitMs: 2_000 };
    const seen = [read()];
    for (const key of ['a', 'b', 'other']) {
      look(key);
      seen.push(read());
    }
    expect(seen).toEqual([plain, said, plain, plain]);
  });
});

describe('which keys are evicted', () => {
  test('all idle ones, by a new key that has no room', () => {
    const { look } = setUp({}, { maxKeys: 3 });
    expect(look('a', 'b', 'c', 'a', 'd', 'e')).toEqual([1, 2, 3, 3, 1, 2]);
  });

  test.each<[stats: object, isKept: boolean]>([
    [{ idle: true, waiting: 5 }, false],
    [{ idle: false, inUse: 0, waiting: 0 }, true],
    [{ inUse: 0, waiting: 0 }, false],
    [{ inUse: 1, waiting: 0 }, true],
    [{ inUse: 0, waiting: 1 }, true],
    [{}, true],
  ])('one with %j: kept is %s', (stats, isKept) => {
    const { look, clock, limits } = setUp({ a: { stats: () => stats } });
    look('a');
    clock.tick(IDLE_MS);
    look('other');
    expect(limits.size).toBe(isKept ? 2 : 1);
  });

  test('old ones are, between two rounds, if a subclass says so', () => {
    const { clock, look, limits } = setUp();
    look('a');
    clock.tick(900);
    look('b');
    clock.tick(100);
    // The round.
    expect(look('c')).toEqual([2]);
    clock.tick(950);
    expect(look('c')).toEqual([2]);
    limits.evictIdle();
    expect(limits.size).toBe(1);
  });
});

describe('all of them together', () => {
  test('are idle when none has requests that wait, also if more come meanwhile', async () => {
    const waits = { a: 2, b: 0 };
    const asked: string[] = [];
    const busy = (key: 'a' | 'b'): LimitOfKey => ({
      stats: () => ({ waiting: waits[key] }),
      idle: async () => {
        asked.push(key);
        waits[key] -= 1;
      },
    });
    const { limits, look } = setUp({ a: busy('a'), b: busy('b'), none: {} });
    await limits.idle();
    look('a', 'b', 'none');
    await limits.idle();
    expect(asked).toEqual(['a', 'a']);
  });

  test('are waited for, each', async () => {
    let waiting = 1;
    const { limits, look } = setUp({ a: { stats: () => ({ waiting }) } });
    look('a');
    const idle = vi.fn();
    void limits.idle().then(idle);
    // A limit without `idle` is looked at again.
    await Promise.resolve();
    expect(idle).not.toHaveBeenCalled();
    waiting = 0;
    await vi.waitFor(() => expect(idle).toHaveBeenCalledOnce());
  });

  test.each([
    [undefined, 'reject'],
    [{ waiting: 'drain' }, 'drain'],
  ] as const)('are closed by %j, and those to come', async (options, waiting) => {
    const closed: string[] = [];
    const limit = (key: string, ends: Promise<void> = Promise.resolve()): LimitOfKey => ({
      close: (how) => {
        closed.push(`${key} ${how?.waiting}`);
        return ends;
      },
    });
    const slow = Promise.withResolvers<void>();
    const { limits, look } = setUp({ a: limit('a'), b: limit('b', slow.promise), c: limit('c'), none: {} });
    look('a', 'b', 'none');
    const done = vi.fn();
    const all = limits.close(options).then(done);
    await new Promise(setImmediate);
    expect(done).not.toHaveBeenCalled();
    slow.resolve();
    await all;
    look('c');
    expect(closed).toEqual(['a', 'b', 'c'].map((key) => `${key} ${waiting}`));
  });

  test('are as good as new once they are closed, if none waits', async () => {
    const { limits, look, clock } = setUp({
      a: { stats: () => ({ idle: false, waiting: 0 }) },
      b: { stats: () => ({ idle: false, waiting: 1 }) },
      c: { stats: () => ({ idle: false, waiting: 0 }) },
    });
    look('a', 'b', 'c');
    await limits.close();
    clock.tick(IDLE_MS);
    expect(look('other')).toEqual([2]);
  });
});
