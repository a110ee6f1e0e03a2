import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { type StepOf, step } from '../../../test/histories.ts';
import type { Costs, Grant } from '../../policy/contracts.ts';
import { virtualClock } from '../../testing.ts';
import { quotaBucket } from './quota-bucket.ts';

const HELD_MS = 600_000;
const LONGEST_PAUSE_MS = 600_000;

const rate = fc.oneof(fc.constantFrom(1, 10, 500), fc.double({ min: 0.1, max: 1e4, noNaN: true }));
const capacity = fc.oneof(fc.constantFrom(1, 7, 100), fc.double({ min: 0.5, max: 1e4, noNaN: true }));
const chargeOn = fc.constantFrom('grant' as const, 'completion' as const);
const limit = fc.record({ refillPerSecond: rate, capacity, chargeOn });
/** Parts of the capacity of a unit. Of some of them nothing is taken. */
const share = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  {
    weight: 3,
    arbitrary: fc.oneof(fc.constantFrom(1, 0.5, 0.1), fc.double({ min: 1e-3, max: 1, noNaN: true })),
  },
);
const which = fc.nat(50);
type Limit = StepOf<typeof limit>;

/** Two units as plain counters. */
class Model {
  readonly level: number[];
  readonly held = [0, 0];
  readonly #limits: readonly Limit[];

  constructor(limits: readonly Limit[]) {
    this.#limits = limits;
    this.level = limits.map(({ capacity }) => capacity);
  }

  pass(ms: number): void {
    this.#limits.forEach(({ capacity, refillPerSecond }, at) => {
      this.level[at] = Math.min(capacity, (this.level[at] as number) + (refillPerSecond * ms) / 1_000);
    });
  }

  left(at: number): number {
    return (this.level[at] as number) - (this.held[at] as number);
  }

  /** How much is lacking; undefined if it is too close to tell. */
  has(cost: readonly number[]): boolean | undefined {
    const over = cost.map((part, at) => (part === 0 ? 1 : (this.left(at) - part) / part));
    if (over.some((rest) => Math.abs(rest) < 1e-6)) return undefined;
    return over.every((rest) => rest > 0);
  }

  take(cost: readonly number[]): void {
    this.#limits.forEach(({ chargeOn }, at) => {
      if (chargeOn === 'completion') this.held[at] = (this.held[at] as number) + (cost[at] as number);
      else this.level[at] = (this.level[at] as number) - (cost[at] as number);
    });
  }

  settle(cost: readonly number[], used: readonly number[]): void {
    this.#limits.forEach(({ chargeOn, refillPerSecond }, at) => {
      if (chargeOn === 'grant') return;
      this.held[at] = (this.held[at] as number) - (cost[at] as number);
      // No debt takes longer to pay than the longest pause.
      const least = (-refillPerSecond * LONGEST_PAUSE_MS) / 1_000;
      this.level[at] = Math.max(least, (this.level[at] as number) - (used[at] as number));
    });
  }

  atMost(left: readonly number[]): void {
    left.forEach((most, at) => {
      this.level[at] = Math.min(this.level[at] as number, most);
    });
  }
}

const pair = fc.tuple(share, share);
const acts = fc.oneof(
  step(4, 'take', { shares: pair }),
  step(3, 'pass', { ms: fc.nat(5_000) }),
  step(3, 'settle', { which, used: pair }),
  step(1, 'at-most', { shares: pair }),
);

test('two units are two counters', () => {
  fc.assert(
    fc.property(fc.tuple(limit, limit), fc.array(acts, { maxLength: 60, size: 'max' }), (limits, history) => {
      const clock = virtualClock({ startMs: 0 });
      const [a, b] = limits;
      const bucket = quotaBucket({ limits: { a, b }, clock });
      const model = new Model(limits);
      const costsOf = (shares: readonly number[]) =>
        limits.map(({ capacity }, at) => capacity * (shares[at] as number));
      const open: { readonly grant: Grant; readonly cost: readonly number[] }[] = [];
      for (const act of history) {
        if (act.kind === 'pass') {
          // Less than the ten minutes after which it is charged.
          if (clock.now() + act.ms > HELD_MS) break;
          clock.tick(act.ms);
          model.pass(act.ms);
        } else if (act.kind === 'take') {
          const cost = costsOf(act.shares);
          const has = cost[0] === 0 && cost[1] === 0 ? undefined : model.has(cost);
          if (has === undefined) continue;
          const grant = bucket.tryAcquire({ a: cost[0] as number, b: cost[1] as number });
          expect(grant !== undefined).toBe(has);
          if (grant === undefined) continue;
          model.take(cost);
          open.push({ grant, cost });
        } else if (act.kind === 'settle') {
          const [one] = open.splice(act.which % Math.max(1, open.length), 1);
          if (one === undefined) continue;
          const used = one.cost.map((part, at) => part * (act.used[at] as number));
          // A unit that is charged at once stays as it was taken: what it gets back is tested elsewhere.
          const told = ['a', 'b'].map((name, at) => [name, used[at]] as const);
          one.grant.settle(
            Object.fromEntries(told.filter((_, at) => limits[at]?.chargeOn === 'completion')) as Costs,
          );
          model.settle(one.cost, used);
        } else {
          const left = costsOf(act.shares);
          bucket.atMost({ a: left[0] as number, b: left[1] as number });
          model.atMost(left);
        }
        const { units } = bucket.stats();
        for (const [at, name] of ['a', 'b'].entries()) {
          const { capacity } = limits[at] as Limit;
          expect((units?.[name]?.tokens ?? Number.NaN) / capacity).toBeCloseTo(model.left(at) / capacity, 6);
        }
      }
    }),
    { numRuns: runs(1_000) },
  );
});
