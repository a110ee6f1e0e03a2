import { type AcquireOptions, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { heapBytes } from '../measure/heap.ts';
import type { Part } from '../measure/part.ts';

const COUNT = 1_000_000;
const { signal } = new AbortController();

const optionsOf: Readonly<Record<string, (index: number) => AcquireOptions>> = {
  'nothing else': () => ({}),
  'one signal for all': () => ({ signal }),
  'a deadline each': (index) => ({ maxWaitMs: 1e6 + index }),
};

/** Fills an array that is there already, and returns how many bytes each entry adds to the heap. */
function bytesEach<T>(entries: T[], make: (index: number) => T): number {
  const before = heapBytes();
  for (let index = 0; index < entries.length; index += 1) entries[index] = make(index);
  return (heapBytes() - before) / entries.length;
}

const places = (): (Promise<unknown> | undefined)[] => new Array(COUNT).fill(undefined);

export default {
  title: 'A million waiters',
  note:
    'The bytes of the heap for each, beyond the promise that the caller holds; the timers of the bucket; and the time to grant ' +
    'them all, in virtual time.',
  columns: [
    { title: 'bytes each', value: ({ bytes = 0 }) => bytes },
    { title: 'timers', value: ({ timers = 0 }) => timers },
    { title: 'granted in, ms', value: ({ grantMs = 0 }) => grantMs, spread: true },
  ],
  flags: ['--expose-gc'],
  async rows() {
    return Object.keys(optionsOf).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const options = optionsOf[name] as (index: number) => AcquireOptions;
    const promise = bytesEach(places(), () => new Promise(() => {}));
    const clock = virtualClock({ startMs: 0 });
    const bucket = tokenBucket({ refillPerSecond: COUNT, capacity: 1_000, initialTokens: 0, clock });
    const waiting = places();
    const bytes = bytesEach(waiting, (index) => bucket.acquire(options(index))) - promise;
    const timers = clock.pending;
    let granted = 0;
    waiting.forEach((grant, index) => {
      grant?.then(() => {
        if (index !== granted) throw new Error(`Waiter ${index} was granted as number ${granted}`);
        granted += 1;
      });
    });
    const startMs = performance.now();
    clock.tick(1_001);
    const grantMs = performance.now() - startMs;
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (granted !== COUNT) throw new Error(`Only ${granted} were granted`);
    return { bytes, timers, grantMs };
  },
} satisfies Part;
