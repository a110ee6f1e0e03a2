import { fairQueue, tokenBucket } from '@ebb/core';
import { seededRandom, virtualClock } from '@ebb/core/testing';
import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import type { Part, Sample } from '../measure/part.ts';
import { quantile } from '../measure/quantiles.ts';

const LINE = '1,000 requests of another key wait, 100/s';
const LARGE = '20 keys wait, one request in 20 costs 100, 100 tokens/s';

interface Asks {
  ask(fairKey: string, cost: number): Promise<{ readonly waitedMs: number }>;
  sleep(ms: number): Promise<void>;
  run(done: Promise<unknown>): Promise<unknown>;
}

function ebb(isFair: boolean, capacity: number): Asks {
  const clock = virtualClock({ startMs: 0 });
  const queue = isFair ? fairQueue() : undefined;
  const bucket = tokenBucket({ refillPerSecond: 100, capacity, initialTokens: 0, queue, clock });
  return {
    ask: (fairKey, cost) => bucket.acquire(isFair ? { fairKey, cost } : { cost }),
    sleep: (ms) => clock.sleep(ms),
    run: (done) => clock.runUntilSettled(done, { realTimeoutMs: 600_000 }),
  };
}

/** A library with first come, first served, in real time. */
function rival(take: () => Promise<unknown>): Asks {
  return {
    async ask() {
      const startMs = performance.now();
      await take();
      return { waitedMs: performance.now() - startMs };
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    run: (done) => done,
  };
}

const makers: Readonly<Record<string, (capacity: number) => Asks>> = {
  'ebb, fairQueue': (capacity) => ebb(true, capacity),
  'ebb, first come, first served': (capacity) => ebb(false, capacity),
  'p-queue': () => {
    const queue = new PQueue({ intervalCap: 1, interval: 10 });
    return rival(() => queue.add(async () => undefined));
  },
  bottleneck: () => {
    const limiter = new Bottleneck({ minTime: 10 });
    return rival(() => limiter.schedule(async () => undefined));
  },
};

async function behindLine({ ask, sleep, run }: Asks): Promise<number[]> {
  for (let asks = 0; asks < 1_000; asks += 1) void ask('a', 1);
  const one = async (afterMs: number): Promise<number> => {
    await sleep(afterMs);
    return (await ask('b', 1)).waitedMs;
  };
  // Each later than the one before it has its turn.
  const all = Promise.all([3, 118, 231, 347, 459].map(one));
  await run(all);
  return all;
}

async function besideLarge({ ask, sleep, run }: Asks): Promise<number[]> {
  const random = seededRandom(7);
  let isOver = false;
  const work = async (key: string): Promise<void> => {
    while (!isOver) await ask(key, random() < 0.05 ? 100 : 1);
  };
  for (let lane = 0; lane < 100; lane += 1) void work(`key ${lane % 20}`);
  const waits: number[] = [];
  const quiet = async (): Promise<void> => {
    while (waits.length < 1_000) {
      await sleep(1_000 + 20_000 * random());
      waits.push((await ask('b', 1)).waitedMs);
    }
    isOver = true;
  };
  await run(quiet());
  return waits;
}

const max = (waits: readonly number[]): number => Math.max(...waits);

export default {
  title: 'The wait of a request of a key that is quiet',
  note:
    'Of ebb in virtual time, of the others in real time. Behind the line: five requests, each alone. Beside the large ones: a ' +
    'thousand, one at a time, 1 to 21 s apart; the 20 keys have five requests in the queue each.',
  columns: [
    { title: 'mean, ms', value: ({ meanMs = 0 }) => meanMs },
    { title: 'p99, ms', value: ({ p99Ms = 0 }) => p99Ms },
    { title: 'longest, ms', value: ({ longestMs = 0 }) => longestMs },
  ],
  rounds: 1,
  async rows() {
    const names = Object.keys(makers);
    const behind = names.map((name) => ({ group: LINE, name }));
    return [...behind, ...names.slice(0, 2).map((name) => ({ group: LARGE, name }))];
  },
  async measure({ group, name }): Promise<Sample> {
    const make = makers[name] as (capacity: number) => Asks;
    const waits = group === LINE ? await behindLine(make(1)) : await besideLarge(make(100));
    const meanMs = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
    return { meanMs, p99Ms: quantile(waits, 0.99), longestMs: max(waits) };
  },
} satisfies Part;
