import { type Clock, type ObservableBucket, quotaBucket, tokenBucket } from '@ebb/core';
import { systemClock } from '@ebb/core/bucket';
import { virtualClock } from '@ebb/core/testing';
import { nsPerCall, type Run } from '../measure/batches.ts';
import type { Part } from '../measure/part.ts';

type Costs = Readonly<Record<string, number>>;

/** More than is ever taken. */
const PLENTY = { refillPerSecond: 1e9, capacity: 1e9 };
/** How many requests wait, for one that is granted and one that comes. */
const WAITING = 1_000;
const STEP = 100;
const costs = (): Costs => ({ requests: 1, inputTokens: 1, outputTokens: 1 });

/** Takes tokens that are there. */
function atOnce(bucket: ObservableBucket, cost: () => Costs | undefined): Run {
  return async (calls) => {
    for (let done = 0; done < calls; done += 1) bucket.tryAcquire(cost());
  };
}

/** Requests that come, wait, are granted tokens and go on, with so many waiting all the time. */
function inTurn(made: Make): Run {
  const clock = virtualClock({ startMs: 0 });
  const limit = { refillPerSecond: 1_000, capacity: STEP, initialTokens: 0 };
  const { bucket, cost } = made(limit, clock);
  const request = async (): Promise<void> => {
    const asked = cost();
    await bucket.acquire(asked === undefined ? {} : { cost: asked });
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

interface Subject {
  readonly bucket: ObservableBucket;
  readonly cost: () => Costs | undefined;
}

type Make = (limit: typeof PLENTY, clock: Clock) => Subject;

function one(limit: typeof PLENTY, clock: Clock): Subject {
  return { bucket: tokenBucket({ ...limit, clock }), cost: () => undefined };
}

function three(limit: typeof PLENTY, clock: Clock): Subject {
  const limits = { requests: limit, inputTokens: limit, outputTokens: limit };
  return { bucket: quotaBucket({ limits, clock }), cost: costs };
}

const RUNS: Readonly<Record<string, (made: Make) => Run>> = {
  'tokens that are there': (made) => {
    const { bucket, cost } = made(PLENTY, systemClock);
    return atOnce(bucket, cost);
  },
  'tokens that are waited for': inTurn,
};

export default {
  title: 'The time of a request to a bucket of three units',
  note: 'Beside a bucket of one unit in the same process. Of waiting requests from `acquire` until it goes on, with 1,000 in the queue.',
  columns: [
    {
      title: '÷ one unit',
      value: ({ threeNs = 0, oneNs = 1 }) => threeNs / oneNs,
      digits: 2,
      spread: true,
    },
    { title: 'three units, ns', value: ({ threeNs = 0 }) => threeNs },
    { title: 'one unit, ns', value: ({ oneNs = 0 }) => oneNs },
  ],
  ranked: false,
  rounds: 5,
  async rows() {
    return Object.keys(RUNS).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const run = RUNS[name] as (typeof RUNS)[string];
    const [threeNs = 0, oneNs = 0] = await nsPerCall([run(three), run(one)], {
      step: STEP,
      warmCalls: 100_000,
      batches: 41,
    });
    return { threeNs, oneNs };
  },
} satisfies Part;
