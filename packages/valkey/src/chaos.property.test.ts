import { type Clock, fairQueue, type Grant, priorityQueue } from '@ebb/core';
import { seededRandom, type VirtualClock, virtualClock } from '@ebb/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Health, ModelStore } from '../test/model-store.ts';
import { type ValkeyBucket, type ValkeyBucketOptions, valkeyBucket } from './index.ts';
import type { StoreClient } from './store-client.ts';

const OPERATIONS = 300;

const maybe = fc.nat(9).map((draw) => draw < 4);
/** A fleet, and which random faults it meets. */
const chaos = fc.record({
  seed: fc.integer(),
  processes: fc.constantFrom(1, 2, 3, 8),
  rate: fc.constantFrom(0.5, 3, 50, 1_000, 50_000),
  capacitySeconds: fc.constantFrom(0.02, 0.2, 1, 10),
  /** The demand, as a multiple of the rate. */
  load: fc.constantFrom(0.3, 0.9, 1.5, 4),
  latencyMs: fc.constantFrom(0.1, 1, 10, 50),
  /** The costs of requests, as parts of the capacity. */
  costs: fc.constantFrom([0.01], [0.25], [1], [0.001, 0.1, 1], [0.07, 0.13, 0.29], [0.5, 0.01]),
  nonConforming: fc.constantFrom('delay', 'delay', 'delay', 'reject', 'mark'),
  order: fc.constantFrom('arrival', 'priority', 'fair'),
  /** Messages overtake each other. */
  ...{ jitter: maybe, aborts: maybe, deadlines: maybe, settles: maybe, pauses: maybe, heldUp: maybe },
  ...{ restarts: maybe, outages: maybe, losses: maybe },
});
type Chaos = typeof chaos extends fc.Arbitrary<infer T> ? T : never;

/** A process that can be blocked: its timers and replies then wait until it goes on. */
class Process {
  readonly store: ModelStore;
  readonly bucket: ValkeyBucket;
  timers = 0;
  readonly #time: Clock;
  #heldUntilMs = 0;

  constructor(time: Clock, keys: Map<string, string>, options: Omit<ValkeyBucketOptions, 'client' | 'key'>) {
    this.#time = time;
    this.store = new ModelStore(time, keys);
    const clock: Clock = {
      now: () => time.now(),
      schedule: (wake, delayMs, ...rest) => {
        this.timers += 1;
        let isOff = false;
        const stop = time.schedule(() => this.#later(() => isOff || wake()), delayMs, ...rest);
        return () => {
          isOff = true;
          stop();
        };
      },
    };
    const held = <T>(promise: Promise<T>): Promise<T> =>
      promise.finally(() => new Promise<void>((resolve) => this.#later(resolve)));
    const client: StoreClient = {
      evalsha: (...args) => held(this.store.evalsha(...args)),
      eval: (...args) => held(this.store.eval(...args)),
    };
    this.bucket = valkeyBucket({ ...options, client, key: 'k', clock });
  }

  #later(go: () => void): void {
    if (!this.isHeld) go();
    else this.#time.schedule(() => this.#later(go), this.#heldUntilMs - this.#time.now());
  }

  get isHeld(): boolean {
    return this.#time.now() < this.#heldUntilMs;
  }

  holdUp(durationMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.#time.now() + durationMs);
  }
}

/** Numbers in the stats that cannot be. */
function wrongIn({ bucket }: Process, capacity: number): string[] {
  const stats = bucket.stats();
  const isWrong = (name: string, value: number): boolean =>
    !Number.isFinite(value) ||
    (name === 'leased' && value < 0) ||
    (name === 'waitingCost' && value < -1e-6) ||
    (name === 'tokens' && stats.mode === 'shared' && value > capacity + 1e-6);
  return Object.entries(stats)
    .filter(([name, value]) => typeof value === 'number' && isWrong(name, value))
    .map((entry) => entry.join(': '));
}

class ChaosFleet {
  readonly clock: VirtualClock = virtualClock({ startMs: 0 });
  readonly random: () => number;
  readonly capacity: number;
  readonly fillMs: number;
  /** All processes that ever were, and those that live. */
  readonly all: Process[] = [];
  readonly alive: Process[];
  readonly spent: { readonly atMs: number; cost: number }[] = [];
  readonly wrongStats: string[] = [];
  waiting = 0;
  granted = 0;
  refused = 0;
  /** How often a request overtook another of the same process and priority. */
  overtaken = 0;
  readonly #chaos: Chaos;
  readonly #keys = new Map<string, string>();
  readonly #last = new Map<string, number>();
  #asked = 0;

  constructor(chaos: Chaos) {
    this.#chaos = chaos;
    this.random = seededRandom(chaos.seed);
    this.capacity = Math.min(1e6, Math.max(1, chaos.capacitySeconds * chaos.rate));
    this.fillMs = (this.capacity * 1_000) / chaos.rate;
    this.alive = Array.from({ length: chaos.processes }, () => this.#start());
  }

  #start(): Process {
    const { rate, nonConforming, order, latencyMs, jitter } = this.#chaos;
    const queue = { arrival: undefined, priority: priorityQueue(), fair: fairQueue() }[order];
    const limit = { refillPerSecond: rate, capacity: this.capacity };
    const options = { ...limit, random: this.random, nonConforming, queue } as const;
    const process = new Process(this.clock, this.#keys, options);
    process.store.latencyMs = latencyMs;
    if (jitter) process.store.jitter = () => 2 * this.random();
    this.all.push(process);
    return process;
  }

  some<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }

  #settle(grant: Grant, cost: number, spend: { cost: number }): void {
    if (!this.#chaos.settles || this.random() < 0.7) return;
    const actual = this.random() < 0.7 ? cost * this.random() : cost * (1 + this.random());
    spend.cost = Math.min(cost, actual);
    const go = (): void => grant.settle(actual);
    if (this.random() < 0.5) go();
    else this.clock.schedule(go, this.random() * 2 * this.fillMs);
  }

  ask(process: Process): void {
    const { costs, aborts, deadlines, order, nonConforming } = this.#chaos;
    const cost = Math.min(this.capacity, Math.max(1e-6, this.some(costs) * this.capacity));
    if (nonConforming !== 'mark' && this.random() < 0.1) {
      if (process.bucket.tryAcquire(cost)) this.spent.push({ atMs: this.clock.now(), cost });
      return;
    }
    const stop = new AbortController();
    if (aborts && this.random() < 0.3)
      this.clock.schedule(() => stop.abort(new Error('no longer')), this.random() * 5 * this.fillMs);
    const priority = order === 'arrival' ? 0 : Math.floor(this.random() * 3) - 1;
    const fairKey = order === 'fair' ? `key ${Math.floor(this.random() * 5)}` : undefined;
    const maxWaitMs = deadlines && this.random() < 0.5 ? this.random() * 8 * this.fillMs : undefined;
    const lane = `${this.all.indexOf(process)} ${priority} ${fairKey}`;
    this.#asked += 1;
    const place = this.#asked;
    this.waiting += 1;
    process.bucket.acquire({ cost, priority, fairKey, signal: stop.signal, maxWaitMs }).then(
      (grant) => {
        this.waiting -= 1;
        this.granted += 1;
        const last = this.#last.get(lane) ?? 0;
        if (last > place) this.overtaken += 1;
        this.#last.set(lane, Math.max(place, last));
        if (!grant.conforming) return;
        const spend = { atMs: this.clock.now(), cost };
        this.spent.push(spend);
        this.#settle(grant, cost, spend);
      },
      () => {
        this.waiting -= 1;
        this.refused += 1;
      },
    );
  }

  /** A fault, now and then. */
  trouble(process: Process, eventMs: number): void {
    const { pauses, heldUp, losses, outages, restarts } = this.#chaos;
    const { random } = this;
    if (random() < 0.05) this.wrongStats.push(...wrongIn(process, this.capacity));
    if (pauses && random() < 0.03) process.bucket.pauseFor(random() * eventMs);
    if (pauses && random() < 0.03) this.some(this.alive).bucket.resume();
    if (heldUp && random() < 0.03) process.holdUp(random() * (random() < 0.3 ? 5 * eventMs : this.fillMs));
    if (random() < 0.01) process.store.forgetScripts();
    if (losses && random() < 0.01) this.#keys.clear();
    if (outages && random() < 0.01) {
      const cut = random() < 0.5 ? [...this.alive] : [process];
      const health = this.some<Health>(['refusing', 'silent', 'frozen']);
      for (const one of cut) one.store.health = health;
      const heal = (): void => {
        for (const one of cut) one.store.health = 'up';
      };
      this.clock.schedule(heal, random() * (2_000 + eventMs));
    }
    if (restarts && random() < 0.01) {
      // A process that dies cannot return its tokens. If it drained, it would go on with its local share.
      const dies = random() < 0.3;
      if (dies) process.store.health = 'refusing';
      void process.bucket.close({ waiting: dies || random() < 0.5 ? 'reject' : 'drain' });
      this.alive[this.alive.indexOf(process)] = this.#start();
    }
  }

  get calls(): number {
    return this.all.reduce((sum, { store }) => sum + store.calls.length, 0);
  }

  /** The most that was spent beyond `rate · t`, from the start and in any window, in capacities. */
  get bursts(): readonly [fromStart: number, anyWindow: number] {
    let [sum, least, fromStart, anyWindow] = [0, 0, 0, 0];
    for (const { atMs, cost } of this.spent) {
      const refilled = (this.#chaos.rate * atMs) / 1_000;
      least = Math.min(least, sum - refilled);
      sum += cost;
      fromStart = Math.max(fromStart, sum - refilled);
      anyWindow = Math.max(anyWindow, sum - refilled - least);
    }
    return [fromStart / this.capacity, anyWindow / this.capacity];
  }
}

test('under random faults no request hangs, the fleet keeps to the quota, and an idle fleet does nothing', async () => {
  let [granted, refused] = [0, 0];
  const play = async (chaos: Chaos): Promise<void> => {
    const fleet = new ChaosFleet(chaos);
    const { clock, capacity, fillMs, all, wrongStats } = fleet;
    const { rate, costs, load, processes, latencyMs } = chaos;
    const meanCost = (costs.reduce((sum, cost) => sum + cost, 0) / costs.length) * capacity;
    const meanMs = (meanCost * 1_000) / (rate * load);
    const eventMs = fillMs + 20 * meanMs;
    for (let at = 0; at < OPERATIONS; at += 1) {
      await clock.advance(fleet.random() < 0.2 ? 0 : -Math.log(1 - fleet.random()) * meanMs * 1.25);
      const process = fleet.some(fleet.alive);
      if (process.isHeld) continue;
      fleet.ask(process);
      fleet.trouble(process, eventMs);
    }
    for (const one of all) one.store.health = 'up';
    // Enough time for all waiting requests.
    for (let step = 0; step < 400 && fleet.waiting > 0; step += 1)
      await clock.advance(Math.max(1_000, fillMs));
    const lastsMs = clock.now();
    const hanging = fleet.waiting;
    // Ten minutes after its last request a process is counted once a minute.
    await clock.advance(670_000 + 6 * eventMs);
    const { calls } = fleet;
    await clock.advance(60_000);
    for (const process of all) wrongStats.push(...wrongIn(process, capacity));
    const idleCalls = Math.max(0, fleet.calls - calls - processes);
    for (const { bucket } of all) void bucket.close();
    await clock.advance(10_000);
    expect({ hanging, pending: clock.pending, idleCalls, wrongStats }).toEqual({
      ...{ hanging: 0, pending: 0, idleCalls: 0 },
      wrongStats: [],
    });
    granted += fleet.granted;
    refused += fleet.refused;
    // With 'reject' and 'mark' a request may pass another that waits.
    if (chaos.nonConforming === 'delay' && chaos.order !== 'fair') expect(fleet.overtaken).toBe(0);
    const requests = fleet.granted + fleet.refused;
    // While a request waits, its process checks the state of the bucket now and then.
    expect(calls).toBeLessThanOrEqual(5 * requests + 100 + (2 * processes * lastsMs) / 1_000);
    const timers = all.reduce((sum, process) => sum + process.timers, 0);
    expect(timers).toBeLessThanOrEqual(20 * (requests + calls) + 1_000);
    if (chaos.outages || chaos.losses) return;
    const slack = (1e-5 * OPERATIONS) / capacity;
    const [fromStart, anyWindow] = fleet.bursts;
    expect(fromStart).toBeLessThanOrEqual(1 + slack);
    // Expensive requests may come together if others leave the queue before them.
    const bound = Math.max(...costs) > 0.25 ? 4 : 2;
    expect(anyWindow).toBeLessThanOrEqual(bound + (rate * 4 * latencyMs) / 1_000 / capacity + slack);
  };
  await fc.assert(fc.asyncProperty(chaos, play), { numRuns: 80 });
  expect(granted).toBeGreaterThan(5_000);
  expect(refused).toBeGreaterThan(30);
}, 120_000);
