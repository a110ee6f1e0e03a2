import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adaptiveLimit, best, CELLS, fixedLimit, play } from './cells.ts';
import { ConcurrencyRule } from './rule.ts';
import { type CallResult, type ClientLimit, runWorld, type World } from './world.ts';

/** One of each kind: what the study shows of all cells, with some room for the one seed. */
const FEW = CELLS.filter(
  ({ service, callers }) => service.name.startsWith('10') && service.workMs === 20 && callers !== 2,
);

describe('beside the best fixed limit, while the capacity halves and doubles', () => {
  test.each(FEW)('$service.name, $spread, $callers callers', (cell) => {
    const [found, right] = [play(adaptiveLimit(), cell, 2), best(cell, 2)];
    for (const phase of ['steady', 'half', 'back'] as const) {
      expect(found[phase].perSecond).toBeGreaterThanOrEqual(0.95 * right[phase].perSecond);
      expect(found[phase].p99Ms).toBeLessThanOrEqual(1.5 * right[phase].p99Ms);
    }
  });
});

type Works = World['work'];
const own = (ownMs: number) => ({ workMs: 0, ownMs });
const inTurn =
  (calls: number, ...ms: readonly number[]): Works =>
  (call) =>
    call < calls ? own(ms[call % ms.length] as number) : undefined;
const oneAfterAnother =
  (...phases: readonly (readonly [calls: number, ms: number])[]): Works =>
  (call) => {
    let left = call;
    for (const [calls, ms] of phases) {
      if (left < calls) return own(ms);
      left -= calls;
    }
    return undefined;
  };

/** Services without a limit of their own, whose endpoints take what they take. */
const HEALTHY: Readonly<Record<string, Works>> = {
  '5 ms, then 100 ms': oneAfterAnother([2_000, 5], [1_000, 100], [2_000, 5], [1_000, 100]),
  '5 and 100 ms in turn': inTurn(3_000, 5, 100),
  '20 and 400 ms in turn': inTurn(2_000, 20, 400),
  '20 ms, then 2 s': oneAfterAnother([500, 20], [500, 2_000]),
  'one in 20 takes 2 s': (call) => (call < 4_000 ? own(call % 20 === 7 ? 2_000 : 20) : undefined),
  'three times slower': oneAfterAnother([1_000, 100], [2_000, 300]),
  'grows to ten times': (call) => (call < 3_000 ? own(50 * (1 + call / 300)) : undefined),
};

const run = (limit: ClientLimit, world: Omit<World, 'durationMs' | 'seed'>): CallResult[] =>
  runWorld(limit, { ...world, durationMs: 1e7, seed: 1 });

describe.each(Object.entries(HEALTHY))('%s: nothing is put off', (_, work) => {
  const rows = [1, 10, 50].flatMap((callers) =>
    (['even', 'log-normal'] as const).map((spread) => [callers, spread] as const),
  );
  test.each(rows)('%i callers, %s', (callers, spread) => {
    const world = { load: { callers }, spread, work };
    const late = run(adaptiveLimit(), world).filter(({ sentAtMs, askedAtMs }) => sentAtMs > askedAtMs);
    expect(late).toEqual([]);
  });
});

test('a service that refuses what it has no room for is hardly asked for more', () => {
  const world = {
    load: { callers: 100 },
    workers: 10,
    queue: 20,
    spread: 'even' as const,
    work: (call: number) => (call < 20_000 ? { workMs: 20, ownMs: 10 } : undefined),
  };
  const share = (limit: ClientLimit): number => {
    const late = run(limit, world).slice(10_000);
    return late.filter(({ isServed }) => !isServed).length / late.length;
  };
  expect(share(fixedLimit(1_000))).toBeGreaterThan(0.9);
  expect(share(adaptiveLimit())).toBeLessThan(0.02);
});

test('after an outage it is back within 1 s', () => {
  const ended = runWorld(adaptiveLimit(), {
    load: { callers: 50 },
    workers: 10,
    timeoutMs: 1_000,
    spread: 'even',
    work: () => ({ workMs: 20, ownMs: 10 }),
    changes: [
      { atMs: 20_000, workers: 0 },
      { atMs: 30_000, workers: 10 },
    ],
    durationMs: 40_000,
    seed: 1,
  });
  const served = (from: number): number =>
    ended.filter((end) => end.isServed && end.endedAtMs >= from && end.endedAtMs < from + 1_000).length;
  expect(served(10_000)).toBeGreaterThan(450);
  expect(
    Math.max(
      ...ended.filter((end) => end.sentAtMs > 26_000 && end.sentAtMs < 30_000).map((end) => end.inFlight),
    ),
  ).toBeLessThan(5);
  expect(served(31_000)).toBeGreaterThan(450);
});

test('whatever comes, the limit is between its bounds', () => {
  const step = fc.record({
    tookMs: fc.integer({ min: 0, max: 5_000 }),
    inFlight: fc.integer({ min: 1, max: 60 }),
    how: fc.constantFrom('answered', 'bound', 'failed', 'lost'),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 400 }), (min, steps) => {
      const rule = new ConcurrencyRule(min, 50);
      let nowMs = 0;
      for (const { tookMs, inFlight, how } of steps) {
        const window = rule.sent(inFlight);
        const sentMs = nowMs;
        nowMs += tookMs;
        if (how === 'failed') rule.failed(window, sentMs, nowMs, inFlight);
        else if (how === 'lost') rule.lost(window);
        else rule.answered(window, sentMs, nowMs, how === 'bound');
        expect(rule.limit).toBeGreaterThanOrEqual(min);
        expect(rule.limit).toBeLessThanOrEqual(50);
      }
    }),
  );
});
