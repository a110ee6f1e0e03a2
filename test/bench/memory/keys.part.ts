import {
  type BucketPerKey,
  type ObservableBucket,
  perKey,
  quotaBucket,
  type RequestTraits,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { heapBytes } from '../measure/heap.ts';
import type { Part } from '../measure/part.ts';

const COUNT = Number(process.env.EBB_KEYS ?? 100_000);
/** None is full again before it is measured: no key is evicted. */
const SLOW = { refillPerSecond: 0.01, capacity: 20 };

/** Sends requests under all of these keys. */
type Use = (buckets: BucketPerKey<ObservableBucket>, keys: readonly string[]) => Promise<void>;

const traitsOf = (url: string): RequestTraits => ({
  url,
  method: 'GET',
  replayable: true,
  header: () => undefined,
});

const requests =
  (each: number): Use =>
  async (buckets, keys) => {
    for (const key of keys) {
      const bucket = buckets.for(traitsOf(key));
      for (let made = 0; made < each; made += 1) await bucket.acquire();
    }
  };

const overFetch: Use = async (bucket, keys) => {
  const fetch = createFetch({ bucket }, async () => new Response('hello'));
  for (const key of keys) await (await fetch(key)).text();
};

const waiting: Use = async (buckets, keys) => {
  await Promise.all(keys.map((key) => buckets.for(traitsOf(key)).acquire()));
};

interface Kind {
  make(key: string): ObservableBucket;
  readonly use: Use;
}

const slow = (): ObservableBucket => tokenBucket(SLOW);

const KINDS: Readonly<Record<string, Kind>> = {
  'one request each': { make: slow, use: requests(1) },
  '… over fetch': { make: slow, use: overFetch },
  '… with a rate of its own for each key': {
    make: (key) => tokenBucket({ refillPerSecond: 0.01 + key.length / 1e4, capacity: 20.5 }),
    use: requests(1),
  },
  'five requests each': { make: slow, use: requests(5) },
  'one request each, which has waited': {
    make: () => tokenBucket({ refillPerSecond: 0.5, capacity: 1, initialTokens: 0 }),
    use: waiting,
  },
  'one request each of two units': {
    make: () => quotaBucket({ limits: { requests: SLOW, tokens: { ...SLOW, capacity: 500 } } }),
    use: requests(1),
  },
};

/** Responses are finalized some turns after the first collection. */
async function bytesLater(): Promise<number> {
  for (let turn = 0; turn < 5; turn += 1) {
    heapBytes();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return heapBytes();
}

export default {
  title: 'A bucket per key, of 100,000 keys',
  note: 'The bytes of the heap that `perKey` and a bucket hold for each idle key, without the key itself.',
  columns: [{ title: 'bytes', value: ({ bytes = 0 }) => bytes }],
  ranked: false,
  flags: ['--expose-gc'],
  async rows() {
    return Object.keys(KINDS).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const { make, use } = KINDS[name] as Kind;
    const bucketsOf = (): BucketPerKey<ObservableBucket> =>
      perKey(make, { keyOf: ({ url }) => url, maxKeys: COUNT });
    const keysOf = (prefix: string, count: number): string[] =>
      // As text from the network: one that is put together here would take more memory once it is read.
      Array.from({ length: count }, (_, at) =>
        Buffer.from(`http://${prefix}-${at}.test/`).toString('latin1'),
      );
    // What is compiled takes memory as well.
    await use(bucketsOf(), keysOf('warm', 2_000));
    const keys = keysOf('key', COUNT);
    const before = await bytesLater();
    const buckets = bucketsOf();
    await use(buckets, keys);
    const bytes = ((await bytesLater()) - before) / COUNT;
    if (buckets.size !== COUNT) throw new Error(`${buckets.size} of ${COUNT} keys are held`);
    return { bytes };
  },
} satisfies Part;
