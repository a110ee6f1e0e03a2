import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { type StepOf, step } from '../../test/histories.ts';
import { fairQueue } from './fair-queue.ts';
import { type Lane, NUMBERS, type QueueEntry } from './queue.ts';

const AGING_MS = 300;
const LATE = 1e9;
const WEIGHTS = [1, 2, 5, 0.3];
/** The last one has no key. */
const NAMES = ['a', '__proto__', 'constructor', '', undefined];
const weightOf = (name: string | undefined): number =>
  name === undefined ? 1 : (WEIGHTS[NAMES.indexOf(name)] as number);

class Waiter implements QueueEntry<Waiter> {
  next: Waiter | undefined;
  previous: Waiter | undefined;
  readonly cost: number;
  readonly sinceMs: number;
  readonly lane: Lane;
  readonly key: PlainKey;
  readonly isRetry: boolean;

  constructor(cost: number, sinceMs: number, lane: Lane, key: PlainKey, isRetry: boolean) {
    this.cost = cost;
    this.sinceMs = sinceMs;
    this.lane = lane;
    this.key = key;
    this.isRetry = isRetry;
  }
}

/** A key of the plain model. */
class PlainKey {
  readonly level: PlainLevel;
  readonly weight: number;
  waiting: Waiter[] = [];
  startsAt = 0;
  isNew = false;
  isKnown = false;
  arrival = 0;
  /** What it was served since when all of those that wait now came. */
  readonly served = new Map<PlainKey, number>();
  largest = 0;

  constructor(level: PlainLevel, weight: number) {
    this.level = level;
    this.weight = weight;
  }

  get first(): Waiter | undefined {
    return this.waiting.find(({ isRetry }) => isRetry) ?? this.waiting[0];
  }
}

/** One priority of the plain model: all keys are looked at each time. */
class PlainLevel {
  readonly priority: number;
  readonly keys: Map<string | undefined, PlainKey>;
  now = 0;
  arrivals = 0;

  constructor(priority: number) {
    this.priority = priority;
    this.keys = new Map(NAMES.map((name) => [name, new PlainKey(this, weightOf(name))]));
  }

  get waiting(): PlainKey[] {
    return [...this.keys.values()].filter(({ waiting }) => waiting.length > 0);
  }

  /** Those that may be next: several only if they came into the queue at one virtual time. */
  get firsts(): PlainKey[] {
    const { waiting } = this;
    const least = Math.min(...waiting.map(({ startsAt }) => startsAt));
    const together = waiting.filter(({ startsAt }) => startsAt === least);
    const fresh = together.filter(({ isNew }) => isNew);
    return fresh.length > 0 ? fresh.sort((one, other) => one.arrival - other.arrival) : together;
  }

  begin(key: PlainKey): void {
    key.isNew = key.startsAt <= this.now;
    // One that is remembered is moved to its place later, behind those that begin together with it.
    if (key.isNew) key.arrival = key.isKnown ? LATE + key.startsAt : this.arrivals;
    this.arrivals += 1;
    if (key.isNew) key.startsAt = this.now;
    key.isKnown = true;
  }

  remove(one: Waiter, isServed: boolean): void {
    const { key } = one;
    const time = one.cost / key.weight;
    if (isServed) {
      if (key.isNew) this.now += time / this.waiting.length;
      key.isNew = false;
      key.startsAt += time;
    }
    key.waiting = key.waiting.filter((other) => other !== one);
    const [first] = this.firsts;
    for (const other of this.keys.values()) {
      if (other.waiting.length > 0) continue;
      if (first === undefined) other.startsAt = 0;
      else if (other.startsAt > first.startsAt) continue;
      // Among those that began together a new one goes first, and among new ones the first that came.
      const isBehind = other.startsAt === first?.startsAt && first.isNew && other.arrival > first.arrival;
      if (!isBehind && (other.isNew || other.startsAt !== first?.startsAt)) other.isKnown = false;
    }
    this.now = first === undefined ? 0 : Math.max(this.now, first.startsAt);
  }
}

const steps = fc.oneof(
  step(6, 'add', {
    fairKey: fc.constantFrom(...NAMES),
    // No two sums of them are the same.
    cost: fc.double({ min: 1, max: 50, noNaN: true }),
    priority: fc.constantFrom(0, 0, 0, 1, -2),
    retry: fc.boolean(),
  }),
  step(5, 'serve', {}),
  step(1, 'abort', { which: fc.nat(30) }),
  step(1, 'abort-first', {}),
  step(1, 'evict', {}),
  step(1, 'pass', { ms: fc.nat(400) }),
);
type Step = StepOf<typeof steps>;

class World {
  readonly queue = fairQueue({ weightOf, agingMs: AGING_MS }).make<Waiter>(NUMBERS);
  readonly levels = [1, 0, -2].map((priority) => new PlainLevel(priority));
  nowMs = 0;

  get all(): Waiter[] {
    return this.levels.flatMap(({ waiting }) => waiting.flatMap(({ waiting }) => waiting));
  }

  does(step: Step): void {
    if (step.kind === 'add') this.#add(step);
    else if (step.kind === 'pass') this.nowMs += step.ms;
    else if (step.kind === 'serve') this.serve();
    else if (step.kind === 'abort-first') this.#leaves(this.queue.first, false);
    else if (step.kind === 'abort') this.#leaves(this.all[step.which], false);
    else this.#evict();
  }

  #add({ fairKey, cost, priority, retry }: Step & { kind: 'add' }): void {
    const lane = this.queue.laneOf({ fairKey, priority, retry });
    const level = this.levels.find((one) => one.priority === priority) as PlainLevel;
    const key = level.keys.get(fairKey) as PlainKey;
    const one = new Waiter(cost, this.nowMs, lane, key, retry);
    if (key.waiting.length === 0) level.begin(key);
    key.waiting.push(one);
    this.queue.add(one);
  }

  serve(): void {
    const { first } = this.queue;
    if (first === undefined) return;
    const { key } = first;
    const together = key.level.waiting;
    key.largest = Math.max(key.largest, first.cost / key.weight);
    for (const other of together) {
      key.served.set(other, (key.served.get(other) ?? 0) + first.cost / key.weight);
      if (other === key) continue;
      const ahead = (key.served.get(other) ?? 0) - (other.served.get(key) ?? 0);
      expect(Math.abs(ahead)).toBeLessThanOrEqual(3 * 50 * (1 / key.weight + 1 / other.weight));
    }
    this.#leaves(first, true);
  }

  #leaves(one: Waiter | undefined, isServed: boolean): void {
    if (one === undefined) return;
    this.queue.remove(one, isServed);
    const { key } = one;
    key.level.remove(one, isServed);
    if (key.waiting.length > 0) return;
    // It counts for two keys while both wait.
    for (const other of key.level.keys.values()) {
      other.served.delete(key);
      key.served.delete(other);
    }
  }

  #evict(): void {
    const lane = this.queue.laneOf({ fairKey: 'constructor', priority: 0 });
    const victim = this.queue.evictedBy?.(lane);
    const lowest = this.levels.findLast(({ waiting }) => waiting.length > 0);
    if (lowest === undefined || lowest.priority > 0) {
      expect(victim).toBeUndefined();
      return;
    }
    const crowds = lowest.waiting.map(({ waiting, weight }) => waiting.length * (1 / weight));
    const own = this.levels[1]?.keys.get('constructor') as PlainKey;
    const isLonger = lowest.priority < 0 || Math.max(...crowds) > (own.waiting.length + 1) * (1 / own.weight);
    if (!isLonger) expect(victim).toBeUndefined();
    else {
      const { key } = victim as Waiter;
      expect(key.waiting.length * (1 / key.weight)).toBe(Math.max(...crowds));
      const last = key.waiting.findLast(({ isRetry }) => !isRetry) ?? key.waiting.at(-1);
      expect(victim).toBe(last);
    }
    this.#leaves(victim, false);
  }

  check(): void {
    const { first } = this.queue;
    const atMs = (one: Waiter | undefined): number =>
      one === undefined ? Number.POSITIVE_INFINITY : one.sinceMs - one.key.level.priority * AGING_MS;
    if (first !== undefined) {
      expect(first.key.level.firsts).toContain(first.key);
      expect(first.key.first).toBe(first);
    }
    for (const { firsts } of this.levels) {
      // Those that began together go in the order in which they came.
      const latestMs = Math.max(...firsts.map(({ first }) => atMs(first)));
      if (firsts.length > 0) expect(atMs(first)).toBeLessThanOrEqual(latestMs);
    }
    const { all } = this;
    expect(this.queue.cost).toBeCloseTo(
      all.reduce((sum, { cost }) => sum + cost, 0),
      6,
    );
  }

  search(): void {
    const found = [...this.queue];
    expect(found[0]).toBe(this.queue.first);
    expect(new Set(found)).toEqual(new Set(this.all));
  }
}

test('a fair queue behaves as a plain list of keys does, and serves all', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60, size: 'max' }), (history) => {
      const world = new World();
      for (const step of history) {
        world.does(step);
        world.check();
      }
      world.search();
      for (let left = world.all.length; left > 0; left -= 1) {
        world.serve();
        world.check();
      }
      expect([world.all.length, world.queue.first, world.queue.cost]).toEqual([0, undefined, 0]);
    }),
    { numRuns: runs(500), endOnFailure: true },
  );
});
