import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { Faults, type StepOf, settled, step } from '../../../test/histories.ts';
import { NotSentError } from '../../base/errors.ts';
import type { Costs, Grant } from '../../policy/contracts.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { type QuotaBucket, quotaBucket } from './quota-bucket.ts';

const HELD_MS = 600_000;
const LONGEST_PAUSE_MS = 600_000;

const rate = fc.oneof(fc.constantFrom(1, 10, 500), fc.double({ min: 0.1, max: 1e4, noNaN: true }));
const capacity = fc.oneof(fc.constantFrom(1, 7, 100), fc.double({ min: 0.5, max: 1e4, noNaN: true }));
const chargeOn = fc.constantFrom('grant' as const, 'completion' as const);
const limit = fc.record({ refillPerSecond: rate, capacity, chargeOn });
const limits = fc.array(limit, { minLength: 1, maxLength: 3 });
/** Parts of the capacities of three units. Of some of them nothing is taken. */
const share = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  {
    weight: 3,
    arbitrary: fc.oneof(fc.constantFrom(1, 0.5, 0.1), fc.double({ min: 1e-3, max: 1, noNaN: true })),
  },
);
const shares = fc.tuple(share, share, share);
const which = fc.nat(50);
const steps = fc.oneof(
  step(6, 'acquire', { shares, maxWaitMs: fc.option(fc.nat(20_000), { nil: undefined }) }),
  step(3, 'try', { shares }),
  step(5, 'pass', { ms: fc.oneof(fc.nat(5_000), fc.nat(HELD_MS)) }),
  step(1, 'abort', { which }),
  step(6, 'settle', { which, used: shares, over: fc.nat(4) }),
  step(1, 'pause', { ms: fc.nat(2_000) }),
  step(1, 'at-most', { shares }),
  step(1, 'set-rate', { which, rate, capacity: fc.option(capacity) }),
);
type Step = StepOf<typeof steps>;
type Limit = StepOf<typeof limit>;

/** Something that a unit is charged with, and the capacity from then on. */
interface Line {
  readonly atMs: number;
  readonly capacity: number;
  charge: number;
}

/** One unit, as its server counts it. */
class Unit {
  readonly name: string;
  readonly settled: boolean;
  readonly made: Limit;
  capacity: number;
  readonly lines: Line[] = [];
  readonly #rates: { readonly fromMs: number; readonly perMs: number }[];

  constructor(made: Limit, index: number) {
    this.name = `unit ${index}`;
    this.made = made;
    this.settled = made.chargeOn === 'completion';
    this.capacity = made.capacity;
    this.#rates = [{ fromMs: 0, perMs: made.refillPerSecond / 1_000 }];
  }

  setRate(refillPerSecond: number, atMs: number): void {
    this.#rates.push({ fromMs: atMs, perMs: refillPerSecond / 1_000 });
    this.charged(atMs, 0);
  }

  charged(atMs: number, charge: number): Line {
    const line = { atMs, capacity: this.capacity, charge };
    this.lines.push(line);
    return line;
  }

  #refilled(untilMs: number): number {
    return this.#rates.reduce((sum, { fromMs, perMs }, at) => {
      const endMs = Math.min(untilMs, this.#rates[at + 1]?.fromMs ?? untilMs);
      return sum + Math.max(0, endMs - fromMs) * perMs;
    }, 0);
  }

  /** In no window more was charged than the capacity and what came in. A change of the capacity keeps the tokens. */
  check(): void {
    let lacking = 0;
    let refilled = 0;
    let { capacity } = this.made;
    for (const line of this.lines.toSorted((one, other) => one.atMs - other.atMs)) {
      const now = this.#refilled(line.atMs);
      lacking = Math.max(0, lacking - (now - refilled));
      lacking = Math.max(0, lacking + line.capacity - capacity);
      refilled = now;
      capacity = line.capacity;
      lacking += line.charge;
      expect(lacking).toBeLessThanOrEqual(capacity * (1 + 1e-6) + refilled * 1e-9);
    }
  }
}

/** A grant, with the line of each unit; that of a settled unit is written when it is settled. */
interface Entry {
  readonly grant: Grant;
  readonly atMs: number;
  readonly cost: readonly number[];
  readonly lines: readonly (Line | undefined)[];
}

class World {
  readonly clock: VirtualClock = virtualClock({ startMs: 0 });
  readonly bucket: QuotaBucket;
  readonly units: readonly Unit[];
  readonly open: Entry[] = [];
  readonly aborts: AbortController[] = [];
  readonly order: number[] = [];
  isAsMade = true;
  #asked = 0;
  #pausedUntilMs = 0;
  readonly faults = new Faults();

  constructor(limits: readonly Limit[]) {
    this.units = limits.map((limit, index) => new Unit(limit, index));
    this.bucket = quotaBucket({
      limits: Object.fromEntries(this.units.map(({ name, made }) => [name, made])),
      clock: this.clock,
    });
  }

  #costs(shares: readonly number[]): Costs {
    const { units } = this.bucket.stats();
    const cost = this.units.map(({ name }, at) => [
      name,
      (shares[at] as number) * (units?.[name]?.capacity ?? 0),
    ]);
    return Object.fromEntries(cost);
  }

  #note(grant: Grant): void {
    const atMs = this.clock.now();
    expect(atMs, 'no grant in a pause').toBeGreaterThanOrEqual(this.#pausedUntilMs - 1e-6);
    const cost = this.units.map(({ name }) => (grant.cost as Costs)[name] as number);
    const lines = this.units.map((unit, at) =>
      unit.settled ? undefined : unit.charged(atMs, cost[at] as number),
    );
    this.open.push({ grant, atMs, cost, lines });
  }

  settle({ grant, atMs, cost, lines }: Entry, used: readonly number[]): void {
    grant.settle(Object.fromEntries(this.units.map(({ name }, at) => [name, used[at] as number])));
    this.units.forEach((unit, at) => {
      // More than was reserved is a debt that the bucket cannot foresee.
      const charge = Math.min(used[at] as number, cost[at] as number);
      const line = lines[at];
      const nowMs = this.clock.now();
      if (line !== undefined) line.charge = charge;
      else if (nowMs < atMs + HELD_MS) unit.charged(nowMs, charge);
      else unit.charged(atMs + HELD_MS, cost[at] as number);
    });
  }

  async happens(step: Step): Promise<void> {
    const { bucket, clock } = this;
    switch (step.kind) {
      case 'acquire': {
        const cost = this.#costs(step.shares);
        if (step.shares.slice(0, this.units.length).every((share) => share === 0)) break;
        const controller = new AbortController();
        this.aborts.push(controller);
        this.#asked += 1;
        const order = this.#asked;
        bucket.acquire({ cost, maxWaitMs: step.maxWaitMs, signal: controller.signal }).then(
          (grant) =>
            this.faults.check(() => {
              if (step.maxWaitMs !== undefined)
                expect(grant.waitedMs).toBeLessThanOrEqual(step.maxWaitMs + 1);
              this.order.push(order);
              this.#note(grant);
            }),
          (error) =>
            this.faults.check(() => {
              if (error !== controller.signal.reason) expect(error).toBeInstanceOf(NotSentError);
            }),
        );
        break;
      }
      case 'try': {
        if (step.shares.slice(0, this.units.length).every((share) => share === 0)) break;
        const { waiting } = bucket.stats();
        const grant = bucket.tryAcquire(this.#costs(step.shares));
        if (grant === undefined) break;
        expect(waiting, 'no request overtakes the queue').toBe(0);
        this.#note(grant);
        break;
      }
      case 'pass':
        await clock.advance(step.ms);
        break;
      case 'abort':
        this.aborts[step.which % this.aborts.length]?.abort();
        break;
      case 'settle': {
        const [entry] = this.open.splice(step.which % Math.max(1, this.open.length), 1);
        if (entry === undefined) break;
        const factor = step.over === 0 ? 2 : 1;
        this.settle(
          entry,
          entry.cost.map((cost, at) => cost * (step.used[at] as number) * factor),
        );
        break;
      }
      case 'pause':
        bucket.pauseFor(step.ms);
        this.#pausedUntilMs = Math.max(this.#pausedUntilMs, clock.now() + step.ms);
        break;
      case 'at-most':
        bucket.atMost(this.#costs(step.shares));
        break;
      case 'set-rate': {
        const unit = this.units[step.which % this.units.length] as Unit;
        const wanted = step.capacity ?? unit.capacity;
        // What is in flight was promised before, and is charged after a capacity has become smaller.
        const capacity = unit.settled ? Math.max(unit.capacity, wanted) : wanted;
        bucket.setRate(unit.name, step.rate, capacity);
        unit.capacity = capacity;
        unit.setRate(step.rate, clock.now());
        this.isAsMade = false;
        break;
      }
    }
    await settled();
    this.faults.throw();
    expect(clock.pending, 'one timer while a request waits').toBe(bucket.stats().waiting > 0 ? 1 : 0);
  }
}

test('of no unit more than capacity + rate · window is charged in any window, every request ends, and nothing is lost', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(steps, { maxLength: 50, size: 'max' }), async (limits, history) => {
      const world = new World(limits);
      for (const step of history) await world.happens(step);
      // Those that are never settled are charged, and let the others go on.
      for (let tries = 0; world.clock.pending > 0 && tries < 200; tries += 1) await world.clock.advance(1e6);
      world.faults.throw();
      expect(world.bucket.stats().waiting).toBe(0);
      for (const entry of world.open) world.settle(entry, entry.cost);
      await world.clock.advance(1e9);
      const { units = {}, idle } = world.bucket.stats();
      for (const { tokens, capacity } of Object.values(units)) expect(tokens).toBeCloseTo(capacity, 6);
      expect(idle).toBe(world.isAsMade || idle);
      if (world.isAsMade) expect(idle).toBe(true);
      for (const unit of world.units) unit.check();
      expect(world.order).toEqual(world.order.toSorted((one, other) => one - other));
    }),
    {
      numRuns: Number(process.env.EBB_RUNS ?? runs(500)),
      interruptAfterTimeLimit: 500_000,
      markInterruptAsFailure: true,
    },
  );
});

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
