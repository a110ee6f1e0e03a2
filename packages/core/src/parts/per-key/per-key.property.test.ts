import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RequestTraits } from '../../http/outcome.ts';
import type { Grant, Slot } from '../../policy/contracts.ts';
import type { ConcurrencyLimit, PerKey, RetryBudget } from '../../policy/part.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { adaptive } from '../bucket/adaptive.ts';
import { type MemoryBucket, tokenBucket } from '../bucket/token-bucket.ts';
import { retryBudget } from '../budget/budget.ts';
import { type ConcurrencyOptions, concurrencyLimit } from '../concurrency/concurrency.ts';
import { perKey } from './per-key.ts';

/*
 * A map that evicts is compared with one that never does. With any steps, on values that are looked up at each use, both must do
 * the same. Times are chosen so that sums are exact.
 */

const RUNS = 1_000;
const IDLE_MS = 1_000;
const KEYS = ['a', 'b', 'c'];

function to(key: string): RequestTraits {
  return { url: `https://${key}.test/`, method: 'GET', replayable: true, header: () => undefined };
}

/** One per key, for ever. */
class Everlasting<T> implements PerKey<T> {
  readonly limit = {} as PerKey<T>['limit'];
  readonly #all = new Map<string, T>();
  readonly #make: () => T;

  constructor(make: () => T) {
    this.#make = make;
  }
  get size(): number {
    return this.#all.size;
  }
  for({ url }: RequestTraits): T {
    const known = this.#all.get(url) ?? this.#make();
    this.#all.set(url, known);
    return known;
  }
}

/** A step in both worlds. */
interface Step {
  readonly does: string;
  readonly key: string;
  readonly amount: number;
  readonly waitMs: number;
}

function steps(...does: readonly string[]): fc.Arbitrary<Step[]> {
  const step = fc.record({
    does: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...does) },
      { weight: 3, arbitrary: fc.constantFrom('pass', 'rest', 'look') },
    ),
    key: fc.constantFrom(...KEYS),
    amount: fc.integer({ min: 1, max: 5 }),
    waitMs: fc.constantFrom(0, 100, 500, IDLE_MS, 3_000, 70_000),
  });
  return fc.array(step, { maxLength: 60 });
}

/** A map, its clock, what was taken, and the results of all steps. */
class World<T extends object> {
  readonly clock: VirtualClock;
  readonly per: PerKey<T>;
  readonly #had: Slot[] = [];
  readonly told: string[] = [];

  constructor(make: (clock: VirtualClock) => PerKey<T>) {
    this.clock = virtualClock({ startMs: 0 });
    this.per = make(this.clock);
  }

  of({ key }: Step): T {
    return this.per.for(to(key));
  }

  tell(what: unknown): void {
    this.told.push(`${this.clock.now()}: ${JSON.stringify(what)}`);
  }

  /** Keeps a slot, if there is one. */
  have(it: object | undefined): boolean {
    if (it !== undefined && 'release' in it) this.#had.push(it as Slot);
    return it !== undefined;
  }

  haveLater({ does, key }: Step, waiting: Promise<Grant | Slot>): void {
    waiting.then(
      (it) => this.tell(`${does} ${key}: has it ${this.have(it)}`),
      (error: Error) => this.tell(`${does} ${key}: ${error.name}`),
    );
  }

  /** Removes and returns one of the slots. */
  takeOut({ amount }: Step): Slot | undefined {
    return this.#had.splice(amount % Math.max(1, this.#had.length), 1)[0];
  }
}

/**
 * Does each step in both worlds.
 *
 * @param act does a step, and returns its result
 */
async function compare<T extends object>(
  list: readonly Step[],
  make: (clock: VirtualClock) => PerKey<T>,
  makeEverlasting: (clock: VirtualClock) => PerKey<T>,
  act: (world: World<T>, one: T, step: Step) => unknown,
): Promise<void> {
  const letsGo = new World(make);
  const keeps = new World(makeEverlasting);
  for (const step of list) {
    if (step.does === 'pass') {
      await Promise.all([letsGo, keeps].map(({ clock }) => clock.advance(step.waitMs)));
      continue;
    }
    if (step.does === 'rest') {
      // Everything idle is evicted.
      await Promise.all([letsGo, keeps].map(({ clock }) => clock.advance(IDLE_MS + step.waitMs)));
      for (let visit = 0; visit < 4; visit += 1) letsGo.of(step);
      continue;
    }
    for (const world of [letsGo, keeps]) world.tell(act(world, world.of(step), step));
    expect(letsGo.told).toEqual(keeps.told);
  }
  await Promise.all([letsGo, keeps].map(({ clock }) => clock.advance(200_000)));
  expect(letsGo.told).toEqual(keeps.told);
}

const maxKeys = fc.constantFrom(1, 2, 3, 10);
const bucketOptions = { refillPerSecond: 10, capacity: 5, random: () => 0 };
const makers: Record<string, (clock: VirtualClock) => MemoryBucket> = {
  tokenBucket: (clock) => tokenBucket({ ...bucketOptions, clock }),
  'tokenBucket in steps': (clock) => tokenBucket({ ...bucketOptions, refillIntervalMs: 500, clock }),
  adaptive: (clock) => adaptive({ ...bucketOptions, minRefillPerSecond: 10, initialTokens: 5, clock }),
};

test.each(Object.entries(makers))('%s: no window is overspent, no pause is lost', async (name, make) => {
  const act = (world: World<MemoryBucket>, bucket: MemoryBucket, step: Step): unknown => {
    const { amount, waitMs } = step;
    switch (step.does) {
      case 'take':
        return world.have(bucket.tryAcquire(amount));
      case 'try':
        return bucket.tryAcquire(amount) !== undefined;
      case 'wait':
        return world.haveLater(step, bucket.acquire({ cost: amount, maxWaitMs: waitMs }));
      case 'settle':
        return bucket.tryAcquire(amount)?.settle(amount * 2);
      case 'give back':
        return bucket.tryAcquire(amount)?.settle(0);
      case 'pause':
        return bucket.pauseFor(waitMs);
      case 'closed origin': {
        const header = (field: string) => (field === 'retry-after' ? String(amount * 20) : undefined);
        const grant = { cost: 1, waitedMs: 0, grantedAtMs: 0, conforming: true, settle: () => undefined };
        return bucket.observe?.({ type: 'response', status: 503, header }, grant, to(step.key));
      }
      case 'rate':
        return bucket.setRate(amount % 2 === 0 ? 20 : 10, 5);
      default: {
        const { tokens, pausedMs, waiting, waitingCost, refillPerSecond, idle } = bucket.stats();
        const paused = bucket.tryAcquire(0.001, undefined, to(step.key)) === undefined;
        return {
          tokens: Math.round(tokens * 1e6),
          pausedMs,
          waiting,
          waitingCost,
          refillPerSecond,
          idle,
          paused,
        };
      }
    }
  };
  const does = ['take', 'take', 'try', 'wait', 'settle', 'give back', 'pause', 'closed origin', 'rate'];
  await fc.assert(
    fc.asyncProperty(steps(...does), maxKeys, (list, most) =>
      compare(
        name.includes('steps')
          ? list.map((step) => ({ ...step, waitMs: Math.ceil(step.waitMs / 500) * 500 }))
          : list,
        (clock) => perKey(() => make(clock), { clock, idleMs: IDLE_MS, maxKeys: most }),
        (clock) => new Everlasting(() => make(clock)),
        act,
      ),
    ),
    { numRuns: RUNS },
  );
});

test('limits per key: never more slots than there are', async () => {
  const limit: ConcurrencyOptions = { maxConcurrent: 2 };
  const act = (world: World<ConcurrencyLimit>, one: ConcurrencyLimit, step: Step): unknown => {
    switch (step.does) {
      case 'take':
        return world.have(one.tryAcquire());
      case 'wait':
        return world.haveLater(step, one.acquire({ maxWaitMs: step.waitMs }));
      case 'release':
        return world.takeOut(step)?.release();
      default: {
        const { inUse, waiting } = one.stats();
        expect(inUse).toBeLessThanOrEqual(2);
        return { inUse, waiting };
      }
    }
  };
  await fc.assert(
    fc.asyncProperty(steps('take', 'take', 'wait', 'release', 'release'), maxKeys, (list, most) =>
      compare(
        list,
        (clock) =>
          perKey(() => concurrencyLimit({ ...limit, clock }), { clock, idleMs: IDLE_MS, maxKeys: most }),
        (clock) => new Everlasting(() => concurrencyLimit({ ...limit, clock })),
        act,
      ),
    ),
    { numRuns: RUNS },
  );
});

test('budgets per key: the retries of a key are those of one budget', async () => {
  const options = { reserve: 3, ratio: 0.5, windowMs: 2_000 };
  const act = (_: World<RetryBudget>, budget: RetryBudget, step: Step): unknown => {
    switch (step.does) {
      case 'deposit':
        return budget.deposit();
      case 'withdraw':
        return budget.withdraw();
      case 'withdraw and refund':
        return budget.withdraw() && budget.refund?.();
      default:
        return budget.balance;
    }
  };
  await fc.assert(
    fc.asyncProperty(steps('deposit', 'withdraw', 'withdraw', 'withdraw and refund'), (list) =>
      compare(
        list,
        (clock) => perKey(() => retryBudget({ ...options, clock }), { clock, idleMs: IDLE_MS }),
        (clock) => new Everlasting(() => retryBudget({ ...options, clock })),
        act,
      ),
    ),
    { numRuns: RUNS },
  );
});

test('two keys never share a limit, whatever they are', () => {
  const unit = fc.constantFrom(...'ab{}%:/#', '__proto__', 'constructor', '\ud800', '\udc00', '\ufffd');
  const keys = fc.uniqueArray(fc.string({ unit, maxLength: 4 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(keys, (all) => {
      const limits = perKey((key) => ({ key }), { keyOf: ({ url }) => url });
      const found = all.map((url) => limits.for({ ...to('a'), url }));
      expect(found.map(({ key }) => key)).toEqual(all);
      expect(all.map((url) => limits.for({ ...to('a'), url }))).toEqual(found);
      expect(limits.size).toBe(all.length);
    }),
  );
});

test('without keyOf two URLs share a limit if they have the same origin', () => {
  const part = (...texts: string[]) => fc.constantFrom(...texts);
  const url = fc
    .tuple(
      part('http://', 'https://', 'HTTPS://', 'ws://'),
      part('', 'a@', 'a.test@', 'a.test:80@'),
      part('a.test', 'A.test', 'a.test.', 'a', 'b.test', '[::1]'),
      part('', ':80', ':443', ':8443'),
      part('', '/', '/b.test', '?@b.test', '#/', '/@b.test', '\\\\b.test'),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(url, { minLength: 2, maxLength: 6 }), (urls) => {
      const limits = perKey(() => ({}));
      const found = urls.map((one) => limits.for({ ...to('a'), url: one }));
      const origins = urls.map((one) => new URL(one).origin);
      for (const [at, one] of found.entries())
        expect(found.indexOf(one)).toBe(origins.indexOf(origins[at] ?? ''));
    }),
  );
});
