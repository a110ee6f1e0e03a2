import { fairQueue, quotaBucket, tokenBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { Part } from '../measure/part.ts';

/** What comes per second. */
const PER_SECOND = { requests: 20_000, tokens: 1_000_000 };
type Costs = Readonly<typeof PER_SECOND>;

interface Key {
  readonly weight: number;
  /** What its requests cost, in turn. */
  readonly costs: readonly (number | Costs)[];
  /** How many of them wait at a time. */
  readonly depth: number;
}

const many = (count: number, keyOf: (at: number) => Key): Key[] =>
  Array.from({ length: count }, (_, at) => keyOf(at));

const TWO_UNITS = 'dominant shares of requests and tokens';

const subjects: Readonly<Record<string, readonly Key[]>> = {
  'weights 1, 2, 5; costs 1, 7, 50': [
    { weight: 1, costs: [1, 7, 50], depth: 4 },
    { weight: 2, costs: [50, 1, 7], depth: 4 },
    { weight: 5, costs: [7, 50, 1], depth: 4 },
  ],
  'weights 1, 2, 5; each key has one cost: 50, 7, 1': [
    { weight: 1, costs: [50], depth: 4 },
    { weight: 2, costs: [7], depth: 4 },
    { weight: 5, costs: [1], depth: 4 },
  ],
  '100 keys; costs 1 to 100': many(100, (at) => ({ weight: 1, costs: [at + 1], depth: 2 })),
  [TWO_UNITS]: [
    { weight: 1, costs: [{ requests: 1, tokens: 10 }], depth: 4 },
    {
      weight: 1,
      costs: [
        { requests: 1, tokens: 500 },
        { requests: 1, tokens: 100 },
      ],
      depth: 4,
    },
    { weight: 1, costs: [{ requests: 2, tokens: 50 }], depth: 4 },
  ],
  'one request at a time beside 9 queues': many(10, (at) => ({
    weight: 1,
    costs: [1],
    depth: at === 0 ? 1 : 10,
  })),
};

const GRANTS = 1_000_000;

/** The dominant part of a cost. */
function weigh(cost: number | Costs): number {
  if (typeof cost === 'number') return cost;
  return Math.max(cost.requests / PER_SECOND.requests, cost.tokens / PER_SECOND.tokens);
}

export default {
  title: 'Shares over a million grants',
  note: 'What each key is granted, ÷ its share by weight: how far the one that is furthest off is, and the part of the first key. Of two units: the dominant part of what it is granted.',
  columns: [
    { title: 'off by, %', value: ({ off = 0 }) => off * 100, digits: 4 },
    { title: 'part of the first, %', value: ({ first = 0 }) => first * 100, digits: 2 },
    { title: 'its share, %', value: ({ share = 0 }) => share * 100, digits: 2 },
  ],
  ranked: false,
  rounds: 1,
  async rows() {
    return Object.keys(subjects).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const keys = subjects[name] as readonly Key[];
    const clock = virtualClock({ startMs: 0 });
    const queue = fairQueue({ weightOf: (key) => keys[Number(key)]?.weight ?? 1 });
    const limit = (refillPerSecond: number) => ({
      refillPerSecond,
      capacity: refillPerSecond / 1_000,
      initialTokens: 0,
    });
    const limits = { requests: limit(PER_SECOND.requests), tokens: limit(PER_SECOND.tokens) };
    const bucket =
      name === TWO_UNITS
        ? quotaBucket({ limits, queue, clock })
        : tokenBucket({ ...limit(1e6), queue, clock });
    const sums = keys.map(() => 0);
    let grants = 0;
    const work = async ({ costs }: Key, key: number): Promise<void> => {
      for (let at = 0; grants < GRANTS; at += 1) {
        const cost = costs[at % costs.length] as number | Costs;
        await bucket.acquire({ fairKey: `${key}`, cost });
        grants += 1;
        sums[key] = (sums[key] ?? 0) + weigh(cost);
      }
    };
    keys.forEach((key, at) => {
      for (let lane = 0; lane < key.depth; lane += 1) void work(key, at);
    });
    while (grants < GRANTS) await clock.advance(1);
    const all = sums.reduce((sum, one) => sum + one, 0);
    const weights = keys.reduce((sum, { weight }) => sum + weight, 0);
    const parts = keys.map(({ weight }, at) => (sums[at] ?? 0) / all / (weight / weights));
    const off = Math.max(...parts.map((part) => Math.abs(part - 1)));
    return { off, first: (sums[0] ?? 0) / all, share: (keys[0]?.weight ?? 0) / weights };
  },
} satisfies Part;
