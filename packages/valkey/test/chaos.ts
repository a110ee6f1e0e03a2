import { type Clock, type Grant, priorityQueue } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import { type ValkeyBucket, valkeyBucket } from '../src/index.ts';
import type { StoreClient } from '../src/store-client.ts';
import { type Health, ModelStore } from './model-store.ts';

/** A fleet, and which random faults it meets. */
export interface Chaos {
  readonly seed: number;
  readonly processes: number;
  readonly rate: number;
  readonly capacity: number;
  /** The demand, as a multiple of the rate. */
  readonly load: number;
  readonly latencyMs: number;
  /** Messages overtake each other. */
  readonly jitter: boolean;
  readonly operations: number;
  /** The costs of requests, as parts of the capacity. */
  readonly costs: readonly number[];
  readonly aborts: boolean;
  readonly deadlines: boolean;
  readonly priorities: boolean;
  readonly settles: boolean;
  readonly pauses: boolean;
  readonly heldUp: boolean;
  readonly restarts: boolean;
  readonly outages: boolean;
  readonly losses: boolean;
  readonly nonConforming: 'delay' | 'reject' | 'mark';
}

/** What happened. */
export interface ChaosResult {
  readonly granted: number;
  readonly refused: number;
  /** Requests that were neither granted nor refused in the end. */
  readonly hanging: number;
  /** Timers of the idle fleet. */
  readonly pending: number;
  /** Calls of the idle fleet to the store. */
  readonly idleCalls: number;
  /** The most that was spent beyond `rate · t`, from the start and in any window, in capacities. */
  readonly fromStart: number;
  readonly anyWindow: number;
  /** How often a request overtook another of the same process and priority. */
  readonly overtaken: number;
  /** Impossible numbers in `stats()`. */
  readonly wrongStats: string[];
  readonly calls: number;
  readonly timers: number;
  readonly drainedMs: number;
  /** How long requests were served. */
  readonly lastsMs: number;
}

/** A process that can be blocked: its timers and replies then wait until it goes on. */
class Process {
  readonly clock: Clock;
  readonly store: ModelStore;
  bucket: ValkeyBucket;
  #heldUntilMs = 0;
  timers = 0;

  constructor(
    time: Clock,
    keys: Map<string, string>,
    latencyMs: number,
    make: (p: Process, port: StoreClient) => ValkeyBucket,
  ) {
    this.store = new ModelStore(time, keys);
    this.store.latencyMs = latencyMs;
    const later = (go: () => void): void => {
      if (time.now() >= this.#heldUntilMs) go();
      else time.schedule(() => later(go), this.#heldUntilMs - time.now());
    };
    this.clock = {
      now: () => time.now(),
      schedule: (wake, delayMs, ...rest) => {
        this.timers += 1;
        let isOff = false;
        const stop = time.schedule(() => later(() => isOff || wake()), delayMs, ...rest);
        return () => {
          isOff = true;
          stop();
        };
      },
    };
    const held = <T>(promise: Promise<T>): Promise<T> =>
      promise.finally(() => new Promise<void>((resolve) => later(resolve)));
    const { store } = this;
    const port: StoreClient = {
      evalsha: (...args) => held(store.evalsha(...args)),
      eval: (...args) => held(store.eval(...args)),
    };
    this.bucket = make(this, port);
  }

  get isHeld(): boolean {
    return this.clock.now() < this.#heldUntilMs;
  }

  holdUp(durationMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.clock.now() + durationMs);
  }
}

/** Runs the fleet, serves all waiting requests, and checks what is left. */
export async function runChaos(chaos: Chaos): Promise<ChaosResult> {
  const { rate, capacity, processes, operations, costs, nonConforming } = chaos;
  const time = virtualClock({ startMs: 0 });
  const random = seededRandom(chaos.seed);
  const keys = new Map<string, string>();
  const fillMs = (capacity * 1_000) / rate;
  const all: Process[] = [];
  const start = (): Process => {
    const process = new Process(time, keys, chaos.latencyMs, ({ clock }, client) =>
      valkeyBucket({
        client,
        key: 'k',
        refillPerSecond: rate,
        capacity,
        clock,
        random,
        nonConforming,
        queue: priorityQueue(),
      }),
    );
    if (chaos.jitter) process.store.jitter = () => 2 * random();
    all.push(process);
    return process;
  };
  const alive = Array.from({ length: processes }, start);
  const spent: { readonly atMs: number; cost: number }[] = [];
  let [waiting, granted, refused, overtaken, asked] = [0, 0, 0, 0, 0];
  const last = new Map<string, number>();
  const wrongStats: string[] = [];
  const some = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const settle = (grant: Grant, cost: number, spend: { cost: number }): void => {
    if (!chaos.settles || random() < 0.7) return;
    const actual = random() < 0.7 ? cost * random() : cost * (1 + random());
    spend.cost = Math.min(cost, actual);
    const go = (): void => grant.settle(actual);
    if (random() < 0.5) go();
    else time.schedule(go, random() * 2 * fillMs);
  };
  const ask = (process: Process): void => {
    const cost = Math.min(capacity, Math.max(1e-6, some(costs) * capacity));
    const stop = new AbortController();
    if (chaos.aborts && random() < 0.3) {
      time.schedule(() => stop.abort(new Error('no longer')), random() * 5 * fillMs);
    }
    const priority = chaos.priorities ? Math.floor(random() * 3) - 1 : 0;
    const id = all.indexOf(process);
    const order = ++asked;
    const deadline = chaos.deadlines && random() < 0.5 ? { maxWaitMs: random() * 8 * fillMs } : {};
    if (nonConforming !== 'mark' && random() < 0.1) {
      if (process.bucket.tryAcquire(cost)) spent.push({ atMs: time.now(), cost });
      return;
    }
    waiting += 1;
    process.bucket.acquire({ cost, priority, signal: stop.signal, ...deadline }).then(
      (grant) => {
        waiting -= 1;
        granted += 1;
        const lane = `${id} ${priority}`;
        if ((last.get(lane) ?? 0) > order) overtaken += 1;
        last.set(lane, Math.max(order, last.get(lane) ?? 0));
        if (!grant.conforming) return;
        const spend = { atMs: time.now(), cost };
        spent.push(spend);
        settle(grant, cost, spend);
      },
      () => {
        waiting -= 1;
        refused += 1;
      },
    );
  };
  const look = (process: Process): void => {
    const stats = process.bucket.stats();
    for (const [name, value] of Object.entries(stats)) {
      if (typeof value === 'number' && !Number.isFinite(value)) wrongStats.push(`${name}: ${value}`);
    }
    if (stats.leased < 0) wrongStats.push(`leased: ${stats.leased}`);
    if (stats.tokens > capacity + 1e-6 && stats.mode === 'shared') wrongStats.push(`tokens: ${stats.tokens}`);
    if (stats.waitingCost < -1e-6) wrongStats.push(`waitingCost: ${stats.waitingCost}`);
  };

  const meanCost = (costs.reduce((sum, cost) => sum + cost, 0) / costs.length) * capacity;
  const meanMs = (meanCost * 1_000) / (rate * chaos.load);
  const eventMs = fillMs + 20 * meanMs;
  for (let at = 0; at < operations; at += 1) {
    await time.advance(random() < 0.2 ? 0 : -Math.log(1 - random()) * meanMs * 1.25);
    const process = some(alive);
    if (process.isHeld) continue;
    ask(process);
    if (random() < 0.05) look(process);
    if (chaos.pauses && random() < 0.03) process.bucket.pauseFor(random() * eventMs);
    if (chaos.pauses && random() < 0.03) some(alive).bucket.resume();
    if (chaos.heldUp && random() < 0.03) process.holdUp(random() * (random() < 0.3 ? 5 * eventMs : fillMs));
    if (random() < 0.01) process.store.forgetScripts();
    if (chaos.losses && random() < 0.01) keys.clear();
    if (chaos.outages && random() < 0.01) {
      const health = some<Health>(['refusing', 'silent', 'frozen']);
      const cut = random() < 0.5 ? [...alive] : [process];
      for (const one of cut) one.store.health = health;
      const heal = (): void => {
        for (const one of cut) one.store.health = 'up';
      };
      time.schedule(heal, random() * (2_000 + eventMs));
    }
    if (chaos.restarts && random() < 0.01) {
      // A process that dies cannot return its tokens. If it drained, it would go on with its local share.
      const dies = random() < 0.3;
      if (dies) process.store.health = 'refusing';
      void process.bucket.close({ waiting: dies || random() < 0.5 ? 'reject' : 'drain' });
      alive[alive.indexOf(process)] = start();
    }
  }
  const endMs = time.now();
  for (const one of all) one.store.health = 'up';
  // Enough time for all waiting requests.
  const stepMs = Math.max(1_000, fillMs);
  for (let step = 0; step < 400 && waiting > 0; step += 1) await time.advance(stepMs);
  const drainedMs = time.now() - endMs;
  const hanging = waiting;
  // Ten minutes after its last request a process is counted once a minute.
  await time.advance(670_000 + 6 * eventMs);
  const count = (): number => all.reduce((sum, { store }) => sum + store.calls.length, 0);
  const calls = count();
  await time.advance(60_000);
  for (const process of all) look(process);
  const idleCalls = Math.max(0, count() - calls - alive.length);
  for (const { bucket } of all) void bucket.close();
  await time.advance(10_000);
  const { pending } = time;

  let [sum, least, fromStart, anyWindow] = [0, 0, 0, 0];
  for (const { atMs, cost } of spent) {
    const refilled = (rate * atMs) / 1_000;
    least = Math.min(least, sum - refilled);
    sum += cost;
    fromStart = Math.max(fromStart, sum - refilled);
    anyWindow = Math.max(anyWindow, sum - refilled - least);
  }
  return {
    ...{
      granted,
      refused,
      hanging,
      pending,
      idleCalls,
      overtaken,
      wrongStats,
      calls,
      drainedMs,
      lastsMs: endMs + drainedMs,
    },
    fromStart: fromStart / capacity,
    anyWindow: anyWindow / capacity,
    timers: all.reduce((timers, process) => timers + process.timers, 0),
  };
}

/** Random faults that depend on the seed alone. */
export function anyChaos(seed: number, fixed: Partial<Chaos> = {}): Chaos {
  const random = seededRandom(seed ^ 0x5bd1e995);
  const some = <T>(...of: T[]): T => of[Math.floor(random() * of.length)] as T;
  const rate = some(0.5, 3, 50, 1_000, 50_000);
  const maybe = (): boolean => random() < 0.4;
  return {
    seed,
    processes: some(1, 2, 3, 8),
    rate,
    capacity: Math.min(1e6, Math.max(1, some(0.02, 0.2, 1, 10) * rate)),
    load: some(0.3, 0.9, 1.5, 4),
    latencyMs: some(0.1, 1, 10, 50),
    jitter: maybe(),
    operations: 300,
    costs: some<number[]>([0.01], [0.25], [1], [0.001, 0.1, 1], [0.07, 0.13, 0.29], [0.5, 0.01]),
    aborts: maybe(),
    deadlines: maybe(),
    priorities: maybe(),
    settles: maybe(),
    pauses: maybe(),
    heldUp: maybe(),
    restarts: maybe(),
    outages: maybe(),
    losses: maybe(),
    nonConforming: some('delay', 'delay', 'delay', 'reject', 'mark'),
    ...fixed,
  };
}
