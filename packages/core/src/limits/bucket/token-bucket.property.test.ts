import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { Faults, type StepOf, settled, step } from '../../../test/histories.ts';
import { NotSentError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { Grant } from '../../policy/contracts.ts';
import { fairQueue } from '../../queue/fair-queue.ts';
import { priorityQueue } from '../../queue/order.ts';
import { type MemoryBucket, tokenBucket } from './token-bucket.ts';

const share = fc.oneof(fc.constantFrom(1, 0.5, 0.1, 1 / 3), fc.double({ min: 1e-3, max: 1, noNaN: true }));
const rate = fc.oneof(fc.constantFrom(1, 3, 500, 10_000), fc.double({ min: 0.01, max: 1e5, noNaN: true }));
const capacity = fc.oneof(fc.constantFrom(1, 7, 100), fc.double({ min: 0.5, max: 1e4, noNaN: true }));
const which = fc.nat(50);
const orNone = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** A step of a random history. `share` is a part of the capacity, `which` selects an earlier request. */
const steps = fc.oneof(
  step(6, 'acquire', {
    share,
    priority: fc.integer({ min: -2, max: 2 }),
    retry: fc.boolean(),
    key: fc.constantFrom('a', 'b', 'c'),
    maxWaitMs: orNone(fc.nat(5_000)),
  }),
  step(3, 'try', { share }),
  step(5, 'pass', { ms: fc.oneof(fc.nat(5_000), fc.double({ min: 0, max: 100, noNaN: true })) }),
  // Time passes without timers.
  step(1, 'suspend', { ms: fc.constantFrom(3_600_000, 1, 50) }),
  step(1, 'step-back', { ms: fc.constantFrom(3_600_000, 0.5, 40) }),
  step(2, 'abort', { which }),
  step(3, 'settle', { which, share: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2, noNaN: true })) }),
  step(1, 'pause', { ms: fc.nat(2_000) }),
  step(1, 'set-rate', { rate, capacity: orNone(capacity) }),
);
type Step = StepOf<typeof steps>;

const setup = fc.record({
  refillPerSecond: rate,
  capacity,
  refillIntervalMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(200, 0.1, 1_000 / 3) },
  ),
  startsAtMs: fc.constantFrom(0, 1.7e12),
  isFair: fc.boolean(),
});
type Setup = StepOf<typeof setup>;

/** A grant and its request. */
interface Entry {
  readonly lane: string;
  readonly order: number;
  readonly grant: Grant;
  /** The settled cost. More than the requested cost is a debt that the bucket cannot foresee. */
  cost: number;
}

/** A bucket with a clock of its own that holds one timer. */
class World implements Clock {
  readonly bucket: MemoryBucket;
  readonly entries: Entry[] = [];
  /** For each grant and change of capacity: the capacity from then on, and the tokens that had come in until then. */
  readonly log: {
    readonly atMs: number;
    readonly refilled: number;
    readonly capacity: number;
    readonly grant?: number;
  }[] = [];
  readonly aborts: AbortController[] = [];
  /** A clock that counts from 1970 has a resolution of a quarter of a microsecond. */
  readonly tickMs: number;
  largestStep = 0;
  largestRate: number;
  wakes = 0;
  asked = 0;
  #trueMs = 0;
  /** The offset of the clock. */
  #offMs: number;
  #timer: { readonly atMs: number; readonly wake: () => void } | undefined;
  #refilled = 0;
  #rate: number;
  #capacity: number;
  #pausedUntilMs = 0;
  readonly #intervalMs: number;
  readonly #isFair: boolean;
  readonly #faults = new Faults();

  constructor({ startsAtMs, isFair, ...options }: Setup) {
    this.#isFair = isFair;
    this.#offMs = startsAtMs;
    this.tickMs = startsAtMs === 0 ? 0 : 2 ** -11;
    this.#rate = options.refillPerSecond;
    this.largestRate = this.#rate;
    this.#capacity = options.capacity;
    this.#intervalMs = options.refillIntervalMs;
    this.largestStep = (this.#rate * this.#intervalMs) / 1_000;
    this.bucket = tokenBucket({
      ...options,
      queue: isFair ? fairQueue({ weightOf: (key) => key.charCodeAt(0) - 96 }) : priorityQueue(),
      clock: this,
    });
  }

  now(): number {
    return this.#trueMs + this.#offMs;
  }

  schedule(wake: () => void, delayMs: number): () => void {
    this.#faults.check(() => {
      expect(this.#timer, 'one timer a bucket').toBeUndefined();
      expect(delayMs).toBeGreaterThan(0);
    });
    const timer = { atMs: this.#trueMs + delayMs, wake };
    this.#timer = timer;
    return () => {
      if (this.#timer === timer) this.#timer = undefined;
    };
  }

  get timerAtMs(): number | undefined {
    return this.#timer?.atMs;
  }

  #to(atMs: number): void {
    const passedMs = Math.max(0, atMs - this.#trueMs);
    this.#refilled += (this.#rate * passedMs) / 1_000;
    this.#trueMs += passedMs;
  }

  #note(lane: string, order: number, grant: Grant): void {
    const leastMs = this.#pausedUntilMs - 1e-6 - this.tickMs;
    expect(this.#trueMs, 'no grant in a pause').toBeGreaterThanOrEqual(leastMs);
    const cost = grant.cost as number;
    this.#write(this.entries.length);
    this.entries.push({ lane, order, grant, cost });
  }

  #write(grant?: number): void {
    const now = { atMs: this.#trueMs, refilled: this.#refilled, capacity: this.#capacity };
    this.log.push(grant === undefined ? now : { ...now, grant });
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.#trueMs + ms;
    for (let due = this.#timer; due !== undefined && due.atMs <= untilMs; due = this.#timer) {
      this.#to(due.atMs);
      this.#timer = undefined;
      this.wakes += 1;
      // A bucket that never stops must fail the test, not hang it.
      if (this.wakes > 100_000) throw new Error('It wakes without end');
      due.wake();
      await settled();
    }
    this.#to(untilMs);
    this.#faults.throw();
  }

  async happens(step: Step): Promise<void> {
    const { bucket } = this;
    switch (step.kind) {
      case 'acquire': {
        const { priority, retry, maxWaitMs } = step;
        const fairKey = this.#isFair ? step.key : undefined;
        const controller = new AbortController();
        this.aborts.push(controller);
        this.asked += 1;
        const order = this.asked;
        const cost = step.share * this.#capacity;
        const kind = cost > bucket.stats().capacity ? RangeError : NotSentError;
        const { signal } = controller;
        bucket.acquire({ cost, priority, retry, fairKey, maxWaitMs, signal }).then(
          (grant) =>
            this.#faults.check(() => {
              if (maxWaitMs !== undefined) expect(grant.waitedMs).toBeLessThanOrEqual(maxWaitMs + 1);
              this.#note(`${priority}${retry}${fairKey}`, order, grant);
            }),
          (error) =>
            this.#faults.check(() => {
              if (error !== signal.reason) expect(error).toBeInstanceOf(kind);
            }),
        );
        break;
      }
      case 'try': {
        const { waiting, capacity } = bucket.stats();
        const grant = bucket.tryAcquire(step.share * capacity);
        if (grant === undefined) break;
        expect(waiting, 'no request overtakes the queue').toBe(0);
        this.#note('try', this.asked, grant);
        break;
      }
      case 'pass':
        await this.pass(step.ms);
        break;
      case 'suspend':
        this.#to(this.#trueMs + step.ms);
        break;
      case 'step-back':
        this.#offMs -= step.ms;
        break;
      case 'abort':
        this.aborts[step.which % this.aborts.length]?.abort();
        break;
      case 'settle': {
        const entry = this.entries[step.which % this.entries.length];
        if (entry === undefined || entry.cost !== entry.grant.cost) break;
        const actual = step.share * entry.cost;
        entry.grant.settle(actual);
        entry.cost = Math.min(entry.cost, actual);
        break;
      }
      case 'pause':
        bucket.pauseFor(step.ms);
        this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#trueMs + step.ms);
        break;
      case 'set-rate':
        bucket.setRate(step.rate, step.capacity);
        this.#rate = step.rate;
        this.#capacity = step.capacity ?? this.#capacity;
        this.#write();
        this.largestRate = Math.max(this.largestRate, this.#rate);
        this.largestStep = Math.max(this.largestStep, (this.#rate * this.#intervalMs) / 1_000);
        break;
    }
    await settled();
    this.#faults.throw();
    expect(this.#timer !== undefined, 'a timer while a request waits').toBe(bucket.stats().waiting > 0);
  }
}

test('grants in any window ≤ capacity + rate · window, and every request ends', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(setup, fc.array(steps, { maxLength: 60, size: 'max' }), async (setup, history) => {
      const world = new World(setup);
      for (const step of history) await world.happens(step);
      for (let tries = 0; world.timerAtMs !== undefined && tries < 1_000; tries += 1) await world.pass(1e9);
      expect(world.bucket.stats().waiting).toBe(0);
      expect(world.timerAtMs).toBeUndefined();
      // It wakes for requests whose turn it is, and rarely otherwise.
      expect(world.wakes).toBeLessThanOrEqual(4 * (world.asked + history.length));

      // A step may lie at either end of a window.
      const { entries, log, tickMs } = world;
      const over = world.largestStep + (world.largestRate * tickMs) / 1_000;
      // The least that a bucket lacks which knows every settled cost in advance: the grants of the fullest window
      // that ends now. A change of capacity keeps the tokens.
      let lacking = 0;
      let refilled = 0;
      let { capacity } = setup;
      for (const now of log) {
        lacking = Math.max(0, lacking - (now.refilled - refilled));
        lacking = Math.max(0, lacking + now.capacity - capacity);
        ({ refilled, capacity } = now);
        lacking += entries[now.grant ?? -1]?.cost ?? 0;
        expect(lacking).toBeLessThanOrEqual(capacity * (1 + 1e-6) + over + refilled * 1e-9);
      }
      const last = new Map<string, number>();
      for (const { lane, order } of world.entries) {
        expect(order).toBeGreaterThanOrEqual(last.get(lane) ?? 0);
        last.set(lane, order);
      }
    }),
    {
      numRuns: Number(process.env.EBB_RUNS ?? runs(500)),
      interruptAfterTimeLimit: 500_000,
      markInterruptAsFailure: true,
    },
  );
});
