import { tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { Part } from '../measure/part.ts';

const COUNTS = [250_000, 1_000_000];

export default {
  title: 'Waiters under one signal that aborts',
  note: 'The time until all of their promises have been rejected.',
  columns: [
    { title: 'cancelled in, ms', value: ({ tookMs = 0 }) => tookMs, spread: true },
    { title: 'ns each', value: ({ eachNs = 0 }) => eachNs },
  ],
  async rows() {
    return COUNTS.map((count) => ({ group: '', name: count.toLocaleString('en') }));
  },
  async measure({ name }) {
    const count = Number(name.replaceAll(',', ''));
    const bucket = tokenBucket({ refillPerSecond: 1, initialTokens: 0, clock: virtualClock({ startMs: 0 }) });
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
    if (cancelled !== count || waiting !== 0) throw new Error(`${cancelled} of ${count} are cancelled`);
    return { tookMs, eachNs: (tookMs * 1e6) / count };
  },
} satisfies Part;
