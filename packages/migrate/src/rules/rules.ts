import type { Source } from '../file/source.ts';
import { asyncRetry } from './async-retry.ts';
import { axiosRateLimit } from './axios-rate-limit.ts';
import { axiosRetry } from './axios-retry.ts';
import { bottleneck } from './bottleneck.ts';
import { fetchRetry } from './fetch-retry.ts';
import { ky } from './ky.ts';
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
  'bottleneck/light': (source) => bottleneck(source, 'bottleneck/light'),
  'bottleneck/es5': (source) => bottleneck(source, 'bottleneck/es5'),
  'p-throttle': pThrottle,
  ky,
};
