// The time to take a token from ebb's bucket and from other libraries' buckets, when no caller has to wait. Medians of
// interleaved rounds; compare the ratios rather than the nanoseconds. Run: pnpm bench buckets
import { concurrencyLimit, tokenBucket } from '@ebb/core';
import { systemClock } from '@ebb/core/adapter';
import Bottleneck from 'bottleneck';
import { RateLimiter, TokenBucket } from 'limiter';
import PQueue from 'p-queue';
import pThrottle from 'p-throttle';
import { RateLimiterMemory } from 'rate-limiter-flexible';

const ROUNDS = 11;
const MANY = 1e9;

interface Candidate {
  readonly name: string;
  /** Calls per round. */
  readonly calls: number;
  run(calls: number): void | Promise<void>;
}

const bucket = tokenBucket({ refillPerSecond: MANY, capacity: MANY });
const slots = concurrencyLimit({ maxConcurrent: 10 });
const theirs = new TokenBucket({ bucketSize: MANY, tokensPerInterval: MANY, interval: 'second' });
const limiter = new RateLimiter({ tokensPerInterval: MANY, interval: 'second' });
const nothing = (): void => {};
const throttled = pThrottle({ limit: MANY, interval: 1_000 })(nothing);
const throttledStrictly = pThrottle({ limit: MANY, interval: 1_000, strict: true })(nothing);
const queue = new PQueue({ intervalCap: MANY, interval: 1_000 });
const flexible = new RateLimiterMemory({ points: MANY, duration: 1 });
const bottleneck = new Bottleneck({
  reservoir: MANY,
  reservoirRefreshAmount: MANY,
  reservoirRefreshInterval: 1_000,
});

function loop(call: () => unknown): Candidate['run'] {
  return (calls) => {
    for (let index = 0; index < calls; index += 1) call();
  };
}

function awaited(call: () => unknown): Candidate['run'] {
  return async (calls) => {
    for (let index = 0; index < calls; index += 1) await call();
  };
}

function atOnce(call: () => unknown): Candidate['run'] {
  return async (calls) => {
    let last: unknown;
    for (let index = 0; index < calls; index += 1) last = call();
    await last;
  };
}

const groups: Readonly<Record<string, readonly Candidate[]>> = {
  'a token, without waiting': [
    { name: 'ebb tryAcquire', calls: 500_000, run: loop(() => bucket.tryAcquire()) },
    { name: 'ebb slot, released', calls: 500_000, run: loop(() => slots.tryAcquire()?.release()) },
    { name: 'limiter TokenBucket', calls: 500_000, run: loop(() => theirs.tryRemoveTokens(1)) },
    { name: 'limiter RateLimiter', calls: 500_000, run: loop(() => limiter.tryRemoveTokens(1)) },
    { name: '(clock alone)', calls: 500_000, run: loop(() => systemClock.now()) },
  ],
  'a token awaited, sequentially': [
    { name: 'ebb acquire', calls: 200_000, run: awaited(() => bucket.acquire()) },
    { name: 'p-throttle', calls: 200_000, run: awaited(throttled) },
    { name: 'p-throttle strict', calls: 20_000, run: awaited(throttledStrictly) },
    { name: 'limiter TokenBucket', calls: 50_000, run: awaited(() => theirs.removeTokens(1)) },
    { name: 'p-queue', calls: 20_000, run: awaited(() => queue.add(nothing)) },
    { name: 'rate-limiter-flexible', calls: 20_000, run: awaited(() => flexible.consume('key', 1)) },
    { name: 'bottleneck', calls: 100, run: awaited(() => bottleneck.schedule(async () => {})) },
  ],
  'tokens acquired concurrently': [
    { name: 'ebb acquire', calls: 50_000, run: atOnce(() => bucket.acquire()) },
    { name: 'p-throttle', calls: 50_000, run: atOnce(throttled) },
    { name: 'limiter TokenBucket', calls: 50_000, run: atOnce(() => theirs.removeTokens(1)) },
    { name: 'p-queue', calls: 5_000, run: atOnce(() => queue.add(nothing)) },
  ],
};

for (const [title, candidates] of Object.entries(groups)) {
  const times = candidates.map((): number[] => []);
  for (let round = -2; round < ROUNDS; round += 1) {
    for (const [index, { calls, run }] of candidates.entries()) {
      // So that no candidate pays for the garbage of the previous one.
      await run(calls / 10);
      globalThis.gc?.();
      const startMs = performance.now();
      await run(calls);
      const tookNs = ((performance.now() - startMs) * 1e6) / calls;
      if (round >= 0) times[index]?.push(tookNs);
    }
  }
  const medians = times.map((all) => all.sort((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0);
  console.log(title);
  candidates.forEach(({ name }, index) => {
    const median = medians[index] ?? 0;
    const ratio = (median / (medians[0] ?? 1)).toFixed(2);
    console.log(`  ${name.padEnd(24)} ${median.toFixed(0).padStart(9)} ns  ${ratio.padStart(9)} ×`);
  });
}
await bottleneck.disconnect();
