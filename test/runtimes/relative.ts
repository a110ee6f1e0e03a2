import { perKey, tokenBucket } from '@ebb/core';
import { createFetch } from '@ebb/fetch';

/** The results of requests to URLs without an origin, from a page. */
export interface Relative {
  readonly statuses: readonly number[];
  /** The keys for which buckets were created. */
  readonly keys: readonly string[];
  readonly origin: string;
}

/** Sends requests with relative URLs, which only a page can resolve. */
export async function askRelatively(): Promise<Relative> {
  const keys: string[] = [];
  const bucket = perKey((key) => {
    keys.push(key);
    return tokenBucket({ refillPerSecond: 1_000 });
  });
  const ebbFetch = createFetch({ bucket });
  const statuses: number[] = [];
  for (const input of ['/one', 'two', '?three', `//${location.host}/four`, new Request('/five')])
    statuses.push((await ebbFetch(input)).status);
  return { statuses, keys, origin: location.origin };
}
