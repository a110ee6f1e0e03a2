import { bucketPerKey, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** What a page gets for URLs without an origin. */
export interface Relative {
  readonly statuses: readonly number[];
  /** The keys that buckets were made for. */
  readonly keys: readonly string[];
  readonly origin: string;
}

/** Asks the page's own server in the ways that only a page can. */
export async function askRelatively(): Promise<Relative> {
  const keys: string[] = [];
  const bucket = bucketPerKey((key) => {
    keys.push(key);
    return tokenBucket({ refillPerSecond: 1_000 });
  });
  const ebbFetch = createFetch({ bucket });
  const statuses: number[] = [];
  for (const input of ['/one', 'two', '?three', `//${location.host}/four`, new Request('/five')])
    statuses.push((await ebbFetch(input)).status);
  return { statuses, keys, origin: location.origin };
}
