import { fairQueue, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { nsPerCall, type Run } from '../measure/batches.ts';
import type { Part } from '../measure/part.ts';

const KEYS = [1, 100, 10_000];
/** How many requests wait, for one that is granted and one that comes. */
const WAITING = 10_000;
const STEP = 100;

/** Requests that come, wait, are granted tokens and go on, with so many waiting all the time. */
function inTurn(isFair: boolean, keys: number): Run {
  const clock = virtualClock({ startMs: 0 });
  const queue = isFair ? fairQueue() : undefined;
  const bucket = tokenBucket({ refillPerSecond: 1_000, capacity: STEP, initialTokens: 0, queue, clock });
  const names = Array.from({ length: keys }, (_, at) => `tenant ${at}`);
  let asked = 0;
  const request = async (): Promise<void> => {
    asked += 1;
    const fairKey = names[(asked * 7_919) % keys];
    await bucket.acquire(isFair ? { cost: 1, fairKey } : { cost: 1 });
  };
  for (let waiting = 0; waiting < WAITING; waiting += 1) void request();
  return async (calls) => {
    for (let done = 0; done < calls; done += STEP) {
      clock.tick(STEP);
      for (let at = 0; at < STEP; at += 1) void request();
      await undefined;
    }
  };
}

export default {
  title: 'The time of a request that waits in a fair queue',
  note: 'From its acquire until it goes on, with 10,000 in the queue, beside first come, first served in the same process.',
  columns: [
    {
      title: '÷ first come, first served',
      value: ({ fairNs = 0, plainNs = 1 }) => fairNs / plainNs,
      digits: 2,
      spread: true,
    },
    { title: 'fair, ns', value: ({ fairNs = 0 }) => fairNs },
    { title: 'first come, first served, ns', value: ({ plainNs = 0 }) => plainNs },
  ],
  ranked: false,
  rounds: 5,
  async rows() {
    return KEYS.map((keys) => ({
      group: '',
      name: keys === 1 ? '1 key' : `${keys.toLocaleString('en')} keys`,
    }));
  },
  async measure({ name }) {
    const keys = Number(name.split(' ')[0]?.replaceAll(',', ''));
    const runs = [inTurn(true, keys), inTurn(false, keys)];
    const [fairNs = 0, plainNs = 0] = await nsPerCall(runs, { step: STEP, warmCalls: 100_000, batches: 41 });
    return { fairNs, plainNs };
  },
} satisfies Part;
