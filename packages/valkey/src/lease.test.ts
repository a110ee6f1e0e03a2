import { seededRandom } from '@ebb/core/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { EMPTY_BACKLOG, LoneLease, reply, type Step, TOKEN, type Told, waiting } from '../test/lone-lease.ts';
import { restOf, unitWaitMs } from './lease.ts';
import type { IdleState } from './options.ts';
import { type LeaseMark, markOf, type RawReply, type StoreCall } from './store-call.ts';

// A lease makes no call and sets no timer, so it is tested without a store and without a clock.

/** Takes a token. */
const take = (nowMs: number): boolean => lease.take([TOKEN], nowMs);

let lease: LoneLease;

beforeEach(() => {
  lease = new LoneLease();
});

/** The only call of a step. */
const callOf = ({ calls }: Step): StoreCall => {
  expect(calls.length).toBe(1);
  return calls[0] as StoreCall;
};

/** A lease with so many tokens that are available at 10 ms. */
function holding(tokens: number): LeaseMark {
  const call = callOf(lease.step(0, waiting(1)));
  const told = reply({ granted: tokens * TOKEN });
  lease.step(10, waiting(1), { call, sentAtMs: 0, reply: told });
  return markOf(told);
}

describe('a step', () => {
  test('asks for the tokens that the queue needs, once', () => {
    const step = lease.step(0, waiting(3));
    expect(step).toMatchObject({
      serve: false,
      calls: [{ mode: 'lease', minAmounts: [TOKEN] }],
      turns: [],
    });
    expect(step.calls[0]).toMatchObject({ maxAvailable: [3 * TOKEN], withinMs: Number.POSITIVE_INFINITY });
    expect(lease.step(1, waiting(4)).calls).toEqual([]);
  });

  test('with a refusal waits until asking helps', () => {
    const call = callOf(lease.step(0, waiting(1, 50)));
    expect(call).toMatchObject({ withinMs: 50 });
    const told = reply({ waitMs: 30, emptyInMs: 70 });
    const step = lease.step(2, waiting(1, 50), { call, sentAtMs: 0, reply: told });
    expect(step).toMatchObject({ serve: true, calls: [], wakeAtMs: 32 });
    expect(lease.isTooLate([TOKEN], 50, 10)).toBe(true);
    expect(callOf(lease.step(32, waiting(1, 50)))).toMatchObject({ mode: 'lease', withinMs: 18 });
  });

  test('gives back what no request needs, with the mark of its lease', () => {
    const mark = holding(5);
    take(10);
    const { wakeAtMs } = lease.step(10, EMPTY_BACKLOG);
    const later = lease.step(wakeAtMs, EMPTY_BACKLOG);
    const back = lease.step(later.wakeAtMs, EMPTY_BACKLOG);
    expect(callOf(back)).toEqual({
      mode: 'refund',
      leases: [{ amounts: [4 * TOKEN], mark }],
    });
    expect(lease.left).toBe(0);
  });

  test('a lease that is asked for settles what is open, and charges again what may not have arrived', () => {
    const mark = holding(1);
    take(10);
    lease.settle([TOKEN / 2], [mark], 10);
    lease.settle([-2 * TOKEN], [mark], 10);
    const call = callOf(lease.step(11, waiting(2)));
    expect(call).toMatchObject({
      mode: 'lease',
      leases: [{ amounts: [TOKEN / 2], mark }],
      spent: [2 * TOKEN],
    });
    const failed = lease.step(20, waiting(2), { call, sentAtMs: 11, reply: reply({ tooLate: true }) });
    expect(failed.calls.filter(({ mode }) => mode !== 'peek')).toMatchObject([
      { mode: 'lease', leases: [], spent: [2 * TOKEN] },
    ]);
  });

  test('in a pause gives everything back, tells the fleet, and asks for no more', () => {
    holding(5);
    lease.pause(1_000, 20);
    const told = lease.step(20, waiting(2));
    expect(told.calls).toEqual([{ mode: 'pause', durationMs: 980 }]);
    expect([lease.left, lease.isOpen(999), lease.isOpen(1_000)]).toEqual([0, false, true]);
    expect(callOf(lease.step(120, waiting(2)))).toMatchObject({
      mode: 'refund',
      leases: [{ amounts: [5 * TOKEN] }],
    });
  });

  test('in a pause that is on its way goes by no reply that the store gave before it', () => {
    holding(1);
    const look = lease.peek(15);
    lease.pause(1_000, 20);
    const call = callOf(lease.step(20, EMPTY_BACKLOG));
    lease.step(25, EMPTY_BACKLOG, { call: look, sentAtMs: 15, reply: reply() });
    expect(lease.isOpen(25)).toBe(false);
    lease.step(30, EMPTY_BACKLOG, { call, sentAtMs: 20, reply: reply() });
    expect(lease.isOpen(30)).toBe(true);
  });

  test.each([
    [0, 1],
    [0.9, 2],
  ])('at random leases for one request more than the average (drawn: %d)', (drawn, requests) => {
    lease = new LoneLease({ random: () => drawn });
    const first = callOf(lease.step(0, waiting(1)));
    const told = reply({ granted: TOKEN, averageLease: [TOKEN], processes: 2 });
    lease.step(10, waiting(1), { call: first, sentAtMs: 0, reply: told });
    take(10);
    expect(callOf(lease.step(10, waiting(9)))).toMatchObject({ maxFuture: [requests * TOKEN] });
  });

  test('goes by the unit that costs something', () => {
    const limit = { refillPerSecond: 100, capacity: 20 };
    lease = new LoneLease({
      refillPerSecond: undefined,
      capacity: undefined,
      limits: { a: limit, b: limit },
    });
    const costs = new Array(8).fill([TOKEN, 0]);
    const backlog = { ...waiting(8), firstCost: [TOKEN, 0], totalCost: [8 * TOKEN, 0], costs };
    expect(callOf(lease.step(0, backlog))).toMatchObject({ maxFuture: [4 * TOKEN, 0] });
  });

  test('of a key that has rested goes on from its last reply, at the time of now', () => {
    const call = callOf(lease.step(0, waiting(1)));
    const told = reply({ emptyInMs: 500 });
    lease.step(10, waiting(1), { call, sentAtMs: 0, reply: { ...told, pausedUs: told.atUs + 400_000 } });
    const rested = restOf(lease.state, 0) as IdleState;
    lease = new LoneLease();
    lease.tell({ type: 'wake', rested, startMs: 0, fleet: undefined }, 300);
    expect([lease.isOpen(399), lease.isOpen(401)]).toEqual([false, true]);
    expect(unitWaitMs(lease.state, 0, TOKEN, 300)).toBeCloseTo(500 - 300 + 10, 3);
  });

  test('without an answer goes on with a share of the bucket, and asks again', () => {
    lease = new LoneLease({ timeoutMs: 100 });
    const call = callOf(lease.step(0, waiting(1)));
    lease.step(1, waiting(1), {
      call,
      sentAtMs: 0,
      reply: reply({ granted: TOKEN, processes: 4, share: 250_000 }),
    });
    take(1);
    const next = callOf(lease.step(1, waiting(1)));
    const error = new Error('no reply');
    const lost = lease.step(101, waiting(1), { call: next, sentAtMs: 1, error, state: 'given up' });
    expect(lost).toMatchObject({
      serve: true,
      turns: [{ type: 'lost', error, mode: 'local', share: 1 / 4 }],
    });
    const resume = callOf(lease.step(lost.wakeAtMs, waiting(1)));
    const outageMs = lost.wakeAtMs - 1;
    // The others need as long at most until they are back as well.
    expect(resume).toMatchObject({ mode: 'resume', outageMs, handoverMs: 2 * outageMs });
    const nowMs = lost.wakeAtMs + 1;
    const back = lease.step(nowMs, waiting(1), {
      call: resume,
      sentAtMs: lost.wakeAtMs,
      reply: reply({ granted: 1 }),
    });
    expect(back).toMatchObject({ turns: [{ type: 'back' }], calls: [{ mode: 'lease' }] });
  });

  test.each([
    ['before one that was answered: no outage', true, []],
    ['after one that was answered: an outage', false, [{ type: 'lost' }]],
  ])('without an answer to a call that was sent %s', (_, isOld, turns) => {
    holding(1);
    take(10);
    const asked = { call: callOf(lease.step(11, waiting(1))), sentAtMs: 11 };
    lease.pause(1_000, 15);
    const told = { call: callOf(lease.step(20, waiting(1))), sentAtMs: 20 };
    lease.step(30, waiting(1), { ...(isOld ? told : asked), reply: reply() });
    const failed = { ...(isOld ? asked : told), error: new Error('no connection') };
    expect(lease.step(40, waiting(1), failed).turns).toMatchObject(turns);
  });

  test('with a loss soon after another goes on alone, until the store has kept the bucket for a second', () => {
    holding(1);
    take(10);
    const answer = (step: Step, nowMs: number, told: Told): Step =>
      lease.step(nowMs, waiting(1), { call: callOf(step), sentAtMs: nowMs, reply: reply(told) });
    const asked = lease.step(10, waiting(1));
    const again = answer(asked, 20, { granted: TOKEN, lostBucket: true, share: 1e6 });
    take(20);
    const next = again.calls.length > 0 ? again : lease.step(20, waiting(1));
    const lost = answer(next, 30, { lostBucket: true, share: 1e6 });
    expect(lost.turns).toMatchObject([{ type: 'lost', error: { name: 'ForgetfulStoreError' } }]);
    const resume = lease.step(lost.wakeAtMs, waiting(1));
    const nowMs = lost.wakeAtMs;
    // There are no others.
    expect(resume.calls).toMatchObject([{ mode: 'resume', handoverMs: 0 }]);
    const kept = answer(resume, nowMs, {});
    expect([kept.turns, kept.calls]).toEqual([[], []]);
    expect(lease.step(nowMs + 999, waiting(1)).calls).toEqual([]);
    const look = lease.step(nowMs + 1_000, waiting(1));
    expect([look.turns, callOf(look).mode]).toEqual([[], 'peek']);
    expect(answer(look, nowMs + 1_000, {}).turns).toMatchObject([{ type: 'back' }]);
  });

  test.each([
    ['are there', 0, true],
    ['are yet to come', 1_000, false],
  ])('with a late lease gives tokens back if they %s', (_, emptyInMs, isReturned) => {
    const call = callOf(lease.step(0, waiting(1)));
    lease.step(250, waiting(1), { call, sentAtMs: 0, error: new Error('no reply'), state: 'given up' });
    lease.step(260, waiting(1), {
      call,
      sentAtMs: 0,
      reply: reply({ granted: TOKEN, emptyInMs }),
      state: 'late',
    });
    expect(lease.left).toBe(0);
    expect(lease.isSettling).toBe(isReturned);
  });

  test('after the end gives everything back at once, and does nothing more', () => {
    holding(5);
    lease.tell({ type: 'close' }, 20);
    const step = lease.step(20, EMPTY_BACKLOG);
    expect(step.calls).toMatchObject([{ mode: 'refund', leases: [{ amounts: [5 * TOKEN] }] }]);
    expect([step.wakeAtMs, step.lookAtMs]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
    const call = step.calls[0] as StoreCall;
    expect(lease.step(30, EMPTY_BACKLOG, { call, sentAtMs: 20, error: new Error() }).calls).toEqual([]);
    expect(lease.isSettling).toBe(false);
  });

  test('after the end calls a store that was never reached once more for its pause', () => {
    const error = new Error('no connection');
    lease.pause(1_000, 0);
    const first = callOf(lease.step(0, EMPTY_BACKLOG));
    lease.step(1, EMPTY_BACKLOG, { call: first, sentAtMs: 0, error });
    lease.tell({ type: 'close' }, 2);
    const last = callOf(lease.step(2, EMPTY_BACKLOG));
    expect([first.mode, last.mode, lease.isSettling]).toEqual(['peek', 'peek', true]);
    expect(lease.step(3, EMPTY_BACKLOG, { call: last, sentAtMs: 2, error }).calls).toEqual([]);
    expect(lease.isSettling).toBe(false);
  });

  test('asks for another lease once the first is given up, also if there is no outage', () => {
    holding(1);
    take(10);
    const asked = { call: callOf(lease.step(11, waiting(1))), sentAtMs: 11 };
    lease.pause(30, 20);
    const told = { call: callOf(lease.step(20, waiting(1))), sentAtMs: 20 };
    lease.step(25, waiting(1), { ...told, reply: reply() });
    const givenUp = { ...asked, error: new Error('no reply'), state: 'given up' } as const;
    const step = lease.step(261, waiting(1), givenUp);
    expect([step.turns, callOf(step).mode]).toEqual([[], 'lease']);
  });

  test('tells of other limits once, and of none that are as before', () => {
    const limits = [{ refillPerSecond: 100, capacity: 20 }];
    const others = [{ refillPerSecond: 50, capacity: 20 }];
    const isLimited = [limits, others, others, undefined, limits].map((told, at) => {
      const call = lease.peek(at);
      return lease.step(at, EMPTY_BACKLOG, { call, sentAtMs: at, reply: reply({ limits: told }) }).isLimited;
    });
    expect(isLimited).toEqual([false, true, false, false, true]);
  });
});

describe('a late reply of a store that is lost', () => {
  const silent = { error: new Error('no reply'), state: 'given up' } as const;

  /** A call that was given up: the store is lost at 300 ms. */
  function lost(): { readonly call: StoreCall; readonly sentAtMs: number } {
    holding(1);
    take(10);
    const given = { call: callOf(lease.step(50, waiting(1))), sentAtMs: 50 };
    expect(lease.step(300, waiting(1), { ...given, ...silent }).turns).toMatchObject([{ type: 'lost' }]);
    return given;
  }

  test('is not asked for while no request needs the store', () => {
    lease = new LoneLease({ localShare: 0.5 });
    lost();
    let step = lease.step(301, EMPTY_BACKLOG);
    for (let tries = 0; tries < 60 && step.wakeAtMs < Number.POSITIVE_INFINITY; tries += 1) {
      const sentAtMs = step.wakeAtMs;
      step = lease.step(sentAtMs, EMPTY_BACKLOG);
      const [call] = step.calls;
      if (call !== undefined) step = lease.step(sentAtMs + 250, EMPTY_BACKLOG, { call, sentAtMs, ...silent });
    }
    expect(step).toMatchObject({ calls: [], wakeAtMs: Number.POSITIVE_INFINITY });
  });

  test('ends no outage, and has the store called at once', () => {
    lease = new LoneLease({ localShare: 0.5 });
    const given = lost();
    expect(lease.step(310, waiting(1)).calls).toEqual([]);
    const late = lease.step(320, waiting(1), { ...given, reply: reply(), state: 'late' });
    expect([late.turns, lease.state.outage?.mode]).toEqual([[], 'local']);
    expect(late.serve).toBe(true);
    expect(callOf(late).mode).toBe('resume');
    const back = lease.step(330, waiting(1), { call: callOf(late), sentAtMs: 320, reply: reply() });
    expect(back.turns.concat(lease.step(330, waiting(1)).turns)).toMatchObject([{ type: 'back' }]);
  });

  test('to an attempt ends no outage either', () => {
    lease = new LoneLease({ localShare: 0.5 });
    lost();
    const attempt = { call: callOf(lease.step(400, waiting(1))), sentAtMs: 400 };
    lease.step(650, waiting(1), { ...attempt, ...silent });
    const late = lease.step(660, waiting(1), { ...attempt, reply: reply(), state: 'late' });
    expect([late.turns, lease.state.outage?.mode]).toEqual([[], 'local']);
    // Others may share the bucket by now: what is spent is charged.
    expect(callOf(late).mode).toBe('spend');
  });

  test('to the last of many attempts has the store called at once, as earlier ones get no reply', () => {
    lease = new LoneLease({ localShare: 0.5, retryMs: 200 });
    lost();
    let last = { call: callOf(lease.step(400, waiting(1))), sentAtMs: 400 };
    let gaps: number[] = [];
    while (gaps.filter((ms) => ms === 2_000).length < 2 && gaps.length < 60) {
      const givenUpAtMs = last.sentAtMs + 250;
      const step = lease.step(givenUpAtMs, waiting(1), { ...last, ...silent });
      const sentAtMs = step.calls.length > 0 ? givenUpAtMs : step.wakeAtMs;
      gaps = [...gaps, sentAtMs - last.sentAtMs];
      last = { call: callOf(step.calls.length > 0 ? step : lease.step(sentAtMs, waiting(1))), sentAtMs };
    }
    // With twenty calls unanswered it is tried every two seconds.
    expect(gaps.slice(-2)).toEqual([2_000, 2_000]);
    lease.step(last.sentAtMs + 250, waiting(1), { ...last, ...silent });
    const late = { ...last, reply: reply(), state: 'late' as const };
    expect(lease.step(last.sentAtMs + 300, waiting(1), late).calls.length).toBe(1);
  });

  test('to an attempt of another outage says nothing of this one', () => {
    lease = new LoneLease({ localShare: 0.5 });
    lost();
    const old = { call: callOf(lease.step(400, waiting(1))), sentAtMs: 400 };
    const quick = { call: callOf(lease.step(650, waiting(1), { ...old, ...silent })), sentAtMs: 650 };
    const inTime = lease.step(660, waiting(1), { ...quick, reply: reply() });
    const back = lease.step(inTime.wakeAtMs, waiting(1));
    expect([...inTime.turns, ...back.turns]).toMatchObject([{ type: 'back' }]);
    // Seconds later it is lost again.
    const sentAtMs = 10_000;
    for (const call of [...inTime.calls, ...back.calls])
      lease.step(670, EMPTY_BACKLOG, { call, sentAtMs: 660, reply: reply({ granted: TOKEN }) });
    take(670);
    const asked = { call: callOf(lease.step(sentAtMs, waiting(1))), sentAtMs };
    lease.step(sentAtMs + 300, waiting(1), { ...asked, ...silent });
    expect(lease.state.outage).toBeDefined();
    const late = lease.step(sentAtMs + 310, waiting(1), { ...old, reply: reply(), state: 'late' });
    expect(callOf(late).mode).toBe('resume');
  });

  test('that never comes loses it no more once it is back, since a later call was answered', () => {
    lease = new LoneLease({ localShare: 0.5 });
    holding(1);
    take(10);
    const asked = { call: callOf(lease.step(20, waiting(1))), sentAtMs: 20 };
    lease.pause(400, 30);
    const told = { call: callOf(lease.step(30, waiting(1))), sentAtMs: 30 };
    lease.step(270, waiting(1), { ...asked, ...silent });
    const attempt = { call: callOf(lease.step(370, waiting(1))), sentAtMs: 370 };
    const inTime = lease.step(380, waiting(1), { ...attempt, reply: reply() });
    const back = lease.step(inTime.wakeAtMs, waiting(1));
    expect([...inTime.turns, ...back.turns]).toMatchObject([{ type: 'back' }]);
    expect(lease.step(390, waiting(1), { ...told, ...silent }).turns).toEqual([]);
    expect(lease.state.outage).toBeUndefined();
  });

  test('pays what was spent beside the others once, however often they are found to share the bucket', () => {
    lease = new LoneLease({ localShare: 0.5, retryMs: 200 });
    lost();
    for (let count = 0; count < 5; count += 1) expect(take(1_000)).toBe(true);
    /** The others share the bucket again since so many seconds. */
    const shared = (seconds: number): RawReply => {
      const told = reply();
      return { ...told, resumedUs: told.atUs - seconds * 1e6 };
    };
    let nowMs = 1_000;
    let step = lease.step(nowMs, waiting(1));
    for (const seconds of [1, 0]) {
      const asked = { call: callOf(step), sentAtMs: nowMs };
      expect(asked.call.mode).toBe('resume');
      // In time, but too slow to show that the store is back. No reply follows for two seconds.
      nowMs += 200;
      step = lease.step(nowMs, waiting(1), { ...asked, reply: shared(seconds) });
      expect(callOf(step).mode).toBe('spend');
      for (let count = 0; count < 20 && callOf(step).mode === 'spend'; count += 1) {
        const charged = { call: callOf(step), sentAtMs: nowMs };
        nowMs += 250;
        step = lease.step(nowMs, waiting(1), { ...charged, ...silent });
        if (step.calls.length > 0) continue;
        nowMs = step.wakeAtMs;
        step = lease.step(nowMs, waiting(1));
      }
    }
    const last = { call: callOf(step), sentAtMs: nowMs };
    expect(last.call.mode).toBe('resume');
    const back = lease.step(nowMs + 1, waiting(1), { ...last, reply: shared(1) });
    expect(back.turns).toMatchObject([{ type: 'back' }]);
    expect(back.calls).toMatchObject([{ mode: 'lease', spent: [5 * TOKEN] }]);
  });

  test('tells the share of a process that knew none', () => {
    const call = callOf(lease.step(0, waiting(1)));
    expect(lease.step(300, waiting(1), { call, sentAtMs: 0, ...silent }).turns).toMatchObject([
      { type: 'lost', mode: 'closed', share: 0 },
    ]);
    const told = reply({ share: 250_000, processes: 4 });
    const late = lease.step(310, waiting(1), { call, sentAtMs: 0, reply: told, state: 'late' });
    expect(late.turns).toMatchObject([{ type: 'lost', mode: 'local', share: 0.25 }]);
    expect(late.serve).toBe(true);
  });
});

const event = fc.record({
  afterMs: fc.nat(400),
  waiting: fc.nat(20),
  take: fc.nat(5),
  what: fc.constantFrom('answer', 'answer', 'answer', 'fail', 'give up', 'late', 'nothing', 'pause'),
  granted: fc.nat(10),
  emptyInMs: fc.integer({ min: -200, max: 500 }),
});

test('in any order of answers: one lease at a time, no token from nowhere, and a time to wake that comes', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60, size: 'max' }), fc.nat(), (events, seed) => {
      lease = new LoneLease({ random: seededRandom(seed) });
      const open: { call: StoreCall; sentAtMs: number }[] = [];
      const givenUp: { call: StoreCall; sentAtMs: number }[] = [];
      let [nowMs, leased, spent, returned] = [0, 0, 0, 0];
      for (const { afterMs, waiting: count, take: takes, what, granted, emptyInMs } of events) {
        nowMs += afterMs;
        const backlog = waiting(count);
        const asked = what === 'late' ? givenUp.shift() : what === 'nothing' ? undefined : open.shift();
        const amount = asked?.call.mode === 'lease' ? granted * TOKEN : 0;
        const isRefused = asked?.call.mode === 'lease' && amount === 0;
        const told = reply({ emptyInMs, ...(isRefused ? { waitMs: 5 } : { granted: amount }) });
        const isTold = what === 'answer' || what === 'pause' || what === 'late';
        if (isTold && asked?.call.mode === 'lease') leased += amount;
        if (what === 'pause') lease.pause(nowMs + 100, nowMs);
        if (what === 'give up' && asked !== undefined) givenUp.push(asked);
        const state =
          what === 'late' ? ('late' as const) : what === 'give up' ? ('given up' as const) : undefined;
        const outcome = isTold ? { reply: told } : { error: new Error(what) };
        const answer = asked && { ...asked, ...outcome, ...(state && { state }) };
        const step = lease.step(nowMs, backlog, answer);
        for (const call of step.calls) {
          open.push({ call, sentAtMs: nowMs });
          if (call.mode !== 'lease' && call.mode !== 'refund') continue;
          for (const { amounts } of call.leases ?? []) returned += amounts[0] ?? 0;
        }
        expect(open.filter(({ call }) => call.mode === 'lease').length).toBeLessThanOrEqual(1);
        expect(Number.isNaN(step.wakeAtMs)).toBe(false);
        if (count > 0 && lease.state.outage === undefined && lease.isOpen(nowMs))
          expect(step.wakeAtMs).toBeLessThan(Number.POSITIVE_INFINITY);
        for (let taken = 0; taken < takes && lease.isOpen(nowMs); taken += 1) {
          if (take(nowMs)) spent += TOKEN;
        }
        expect(spent + returned + lease.left).toBeLessThanOrEqual(leased + 1);
        expect(lease.left).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 1_000 },
  );
});
