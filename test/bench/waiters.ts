// A million requests wait for one bucket: the memory of each, and the time to grant or cancel them all.
// Run: pnpm bench waiters [how many]
import { tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';

const COUNT = Number(process.argv.at(-1)) || 1_000_000;

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Fills a preallocated array, and returns how many bytes each entry added to the heap. */
function bytesEach<T>(promises: T[], make: (index: number) => T): number {
  const before = heapBytes();
  for (let index = 0; index < promises.length; index += 1) promises[index] = make(index);
  return (heapBytes() - before) / promises.length;
}

function places(): (Promise<unknown> | undefined)[] {
  return new Array(COUNT).fill(undefined);
}

if (globalThis.gc === undefined) console.log('Without --expose-gc the byte counts are not reliable.');

const bare = bytesEach(places(), () => new Promise(() => {}));
console.log(`${bare.toFixed(0)} B for a promise alone`);

for (const kind of ['nothing else', 'one signal for all', 'a deadline each']) {
  const clock = virtualClock();
  const bucket = tokenBucket({ refillPerSecond: 1_000_000, capacity: 1_000, initialTokens: 0, clock });
  const controller = new AbortController();
  const signal = kind === 'one signal for all' ? controller.signal : undefined;
  const promises = places();
  const bytes = bytesEach(promises, (index) => {
    return bucket.acquire({ signal, maxWaitMs: kind === 'a deadline each' ? 1e6 + index : undefined });
  });
  const timers = clock.pending;
  let granted = 0;
  let inOrder = true;
  promises.forEach((promise, index) => {
    promise?.then(() => {
      inOrder &&= index === granted;
      granted += 1;
    });
  });
  const startMs = performance.now();
  clock.tick(1_001);
  const tookMs = performance.now() - startMs;
  await new Promise((resolve) => setTimeout(resolve, 0));
  console.log(
    `${(bytes - bare).toFixed(0)} B above the promise with ${kind}; ${timers} timer; ` +
      `${granted} granted ${inOrder ? 'in order' : 'OUT OF ORDER'} in ${tookMs.toFixed(0)} ms`,
  );
}

for (const count of [COUNT / 4, COUNT]) {
  const bucket = tokenBucket({ refillPerSecond: 1, initialTokens: 0, clock: virtualClock() });
  const controller = new AbortController();
  let cancelled = 0;
  for (let index = 0; index < count; index += 1) {
    bucket.acquire({ signal: controller.signal }).catch(() => {
      cancelled += 1;
    });
  }
  const startMs = performance.now();
  controller.abort();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const tookMs = performance.now() - startMs;
  const { waiting } = bucket.stats();
  console.log(
    `${cancelled} cancelled in ${tookMs.toFixed(0)} ms (${((tookMs * 1e6) / count).toFixed(0)} ns each), ${waiting} left`,
  );
}
