// 500 tokens a second for five seconds of real time, with an endless backlog: how close the number of grants comes to
// capacity + rate · t, and whether it ever exceeds it. Run: pnpm bench pace [all]
import { tokenBucket } from '@ebb/core';
import { TokenBucket } from 'limiter';
import PQueue from 'p-queue';
import pThrottle from 'p-throttle';

const RATE = 500;
const SECONDS = 5;
const CAPACITY = 100;

/** Waits for a token; resolves with the time of the grant, if the library reports it. */
type Take = () => Promise<number | undefined>;

async function measure(name: string, take: Take, burst: number): Promise<void> {
  const startMs = performance.now();
  const endMs = startMs + SECONDS * 1_000;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      for (;;) {
        const nowMs = (await take()) ?? performance.now();
        if (nowMs > endMs) return;
        times.push(nowMs - startMs);
      }
    }),
  );
  const ideal = burst + RATE * SECONDS;
  let most = 0;
  // A token bucket of the same rate: its deficit is the excess of the fullest window that ends with a grant.
  let inBucket = burst;
  let lastMs = 0;
  for (const atMs of times) {
    inBucket = Math.min(burst, inBucket + ((atMs - lastMs) * RATE) / 1_000) - 1;
    lastMs = atMs;
    most = Math.max(most, -inBucket);
  }
  const off = ((times.length / ideal - 1) * 100).toFixed(2);
  const above = most > 1e-3 ? `up to ${most.toFixed(2)} above the curve` : 'never above the curve';
  console.log(`${name.padEnd(24)} ${times.length} of ${ideal} (${off} %), ${above}`);
}

const bucket = tokenBucket({ refillPerSecond: RATE, capacity: CAPACITY });
await measure('ebb', async () => (await bucket.acquire()).grantedAtMs - performance.timeOrigin, CAPACITY);

if (process.argv.includes('all')) {
  const theirs = new TokenBucket({ bucketSize: CAPACITY, tokensPerInterval: RATE, interval: 'second' });
  theirs.content = CAPACITY;
  await measure('limiter TokenBucket', async () => void (await theirs.removeTokens(1)), CAPACITY);
  const strict = pThrottle({ limit: RATE, interval: 1_000, strict: true })(() => {});
  await measure('p-throttle strict', async () => void (await strict()), RATE);
  const windows = pThrottle({ limit: RATE, interval: 1_000 })(() => {});
  await measure('p-throttle', async () => void (await windows()), RATE);
  const queue = new PQueue({ intervalCap: 1, interval: 1_000 / RATE });
  await measure('p-queue', async () => void (await queue.add(() => {})), 0);
}
