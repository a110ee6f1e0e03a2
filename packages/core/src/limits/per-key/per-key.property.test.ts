import fc from 'fast-check';
import { expect, test } from 'vitest';
import { responds, to } from '../../../test/asks.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { Grant } from '../../policy/contracts.ts';
import type { PerKey } from '../../policy/limit-options.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { adaptive } from '../bucket/adaptive.ts';
import { type MemoryBucket, tokenBucket } from '../bucket/token-bucket.ts';
import { perKey } from './per-key.ts';

/*
 * A map that evicts is compared with one that never does. With any steps, on values that are looked up at each use, both must do
 * the same. Times are chosen so that sums are exact.
 */

const RUNS = 1_000;
const IDLE_MS = 1_000;
const KEYS = ['a', 'b', 'c'];

const of = (key: string) => to(`https://${key}.test/`);

/** The model: a limit per key, which is never dropped. */
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

const DOES = ['take', 'take', 'take', 'wait', 'settle', 'give back', 'pause', 'closed origin', 'rate'];
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    does: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...DOES) },
      { weight: 3, arbitrary: fc.constantFrom('pass', 'rest', 'look') },
    ),
    key: fc.constantFrom(...KEYS),
    amount: fc.integer({ min: 1, max: 5 }),
    waitMs: fc.constantFrom(0, 100, 500, IDLE_MS, 3_000, 70_000),
  }),
  { maxLength: 60 },
);

/** A map of buckets, its clock, and the results of all steps. */
class World {
  readonly clock: VirtualClock;
  readonly per: PerKey<MemoryBucket>;
  readonly told: string[] = [];

  constructor(make: (clock: VirtualClock) => PerKey<MemoryBucket>) {
    this.clock = virtualClock({ startMs: 0 });
    this.per = make(this.clock);
  }

  of({ key }: Step): MemoryBucket {
    return this.per.for(of(key));
  }

  tell(what: unknown): void {
    this.told.push(`${this.clock.now()}: ${JSON.stringify(what)}`);
  }

  tellLater({ does, key }: Step, waiting: Promise<Grant>): void {
    waiting.then(
      () => this.tell(`${does} ${key}: has it`),
      (error: Error) => this.tell(`${does} ${key}: ${error.name}`),
    );
  }
}

/** Does each step in both worlds. */
async function compare(
  list: readonly Step[],
  make: (clock: VirtualClock) => PerKey<MemoryBucket>,
  makeEverlasting: (clock: VirtualClock) => PerKey<MemoryBucket>,
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

/** Does a step, and returns its result. */
function act(world: World, bucket: MemoryBucket, step: Step): unknown {
  const { amount, waitMs } = step;
  switch (step.does) {
    case 'take':
      return bucket.tryAcquire(amount) !== undefined;
    case 'wait':
      return world.tellLater(step, bucket.acquire({ cost: amount, maxWaitMs: waitMs }));
    case 'settle':
      return bucket.tryAcquire(amount)?.settle(amount * 2);
    case 'give back':
      return bucket.tryAcquire(amount)?.settle(0);
    case 'pause':
      return bucket.pauseFor(waitMs);
    case 'closed origin': {
      const grant = { cost: 1, waitedMs: 0, grantedAtMs: 0, conforming: true, settle: () => undefined };
      return bucket.observe?.(responds(503, { 'retry-after': String(amount * 20) }), grant, of(step.key));
    }
    case 'rate':
      return bucket.setRate(amount % 2 === 0 ? 20 : 10, 5);
    default: {
      const { tokens, pausedMs, waiting, waitingCost, refillPerSecond, idle } = bucket.stats();
      const paused = bucket.tryAcquire(0.001, undefined, of(step.key)) === undefined;
      const all = [Math.round(tokens * 1e6), pausedMs, waiting, waitingCost, refillPerSecond];
      return [...all, idle, paused];
    }
  }
}

test.each(Object.entries(makers))('%s: no window is overspent, no pause is lost', async (name, make) => {
  await fc.assert(
    fc.asyncProperty(steps, maxKeys, (list, most) =>
      compare(
        name.includes('steps')
          ? list.map((step) => ({ ...step, waitMs: Math.ceil(step.waitMs / 500) * 500 }))
          : list,
        (clock) => perKey(() => make(clock), { clock, idleMs: IDLE_MS, maxKeys: most }),
        (clock) => new Everlasting(() => make(clock)),
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
      const found = all.map((url) => limits.for(to(url)));
      expect(found.map(({ key }) => key)).toEqual(all);
      expect(all.map((url) => limits.for(to(url)))).toEqual(found);
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
      const found = urls.map((one) => limits.for(to(one)));
      const origins = urls.map((one) => new URL(one).origin);
      for (const [at, one] of found.entries())
        expect(found.indexOf(one)).toBe(origins.indexOf(origins[at] ?? ''));
    }),
  );
});
