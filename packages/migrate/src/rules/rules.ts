import type { Source } from '../file/source.ts';
import { asyncRetry } from './async-retry.ts';
import { axiosRateLimit } from './axios-rate-limit.ts';
import { axiosRetry } from './axios-retry.ts';
import { bottleneck } from './bottleneck.ts';
import { fetchRetry } from './fetch-retry.ts';
import { ky } from './ky.ts';
import { likeAxiosRetry, likeFetchRetry, likePRetry } from './like.ts';
import { pRetry } from './p-retry.ts';
import { pThrottle } from './p-throttle.ts';

/** How the uses of each library are rewritten. */
export const RULES: Readonly<Record<string, (source: Source) => void>> = {
  'axios-retry': axiosRetry,
  'fetch-retry': fetchRetry,
  'p-retry': pRetry,
  'async-retry': asyncRetry,
  'axios-rate-limit': axiosRateLimit,
  bottleneck,
  'p-throttle': pThrottle,
  ky,
};

/** The rules to try where the first rule leaves something to do; their result is taken if nothing is left to do. */
export const LIKE: Readonly<Record<string, (source: Source) => void>> = {
  'axios-retry': likeAxiosRetry,
  'fetch-retry': likeFetchRetry,
  'p-retry': likePRetry,
};
