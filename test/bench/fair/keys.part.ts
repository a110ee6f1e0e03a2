import { fairQueue, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { heapBytes } from '../measure/heap.ts';
import type { Part } from '../measure/part.ts';

const COUNT = 300_000;

/** How many keys wait at a time. The first one's requests wait all the time. */
const rows: Readonly<Record<string, number>> = {
  'all wait together': COUNT,
  'a thousand at a time': 1_000,
  'one at a time beside a key that always waits': 1,
};

export default {
  title: '300,000 keys that come, wait and go',
  note: 'The bytes of the heap that they leave, and the timers of the bucket, while one key still waits.',
  columns: [
    { title: 'bytes', value: ({ bytes = 0 }) => bytes },
    { title: 'timers, without the one of the queue', value: ({ timers = 0 }) => timers },
  ],
  ranked: false,
  rounds: 1,
  flags: ['--expose-gc'],
  async rows() {
    return Object.keys(rows).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const atOnce = rows[name] ?? 1;
    const clock = virtualClock({ startMs: 0 });
    const queue = fairQueue();
    const bucket = tokenBucket({ refillPerSecond: 1_000, capacity: 1, initialTokens: 0, queue, clock });
    const stay = (): void => void bucket.acquire({ fairKey: 'stays' }).then(stay);
    stay();
    stay();
    const round = async (first: number): Promise<void> => {
      let left = atOnce;
      const gone = (): void => {
        left -= 1;
      };
      for (let at = 0; at < atOnce; at += 1) void bucket.acquire({ fairKey: `key ${first + at}` }).then(gone);
      while (left > 0) await clock.advance(10);
    };
    await round(-atOnce);
    const before = heapBytes();
    for (let done = 0; done < COUNT; done += atOnce) await round(done);
    await clock.advance(1_000);
    return { bytes: heapBytes() - before, timers: clock.pending - 1 };
  },
} satisfies Part;
