import type { Source } from '../file/source.ts';
import { asyncRetry } from './async-retry.ts';
import { axiosRetry } from './axios-retry.ts';
import { bottleneck } from './bottleneck.ts';
import { axiosRateLimit, pThrottle } from './counterparts.ts';
import { fetchRetry } from './fetch-retry.ts';
import { ky } from './ky.ts';
import { pRetry } from './p-retry.ts';

/** The paths by which bottleneck is loaded. */
const BOTTLENECKS = ['bottleneck', 'bottleneck/light', 'bottleneck/light.js', 'bottleneck/es5'] as const;

/** How the uses of each library are rewritten. */
export const RULES: Readonly<Record<string, (source: Source) => void>> = {
  'axios-retry': axiosRetry,
  'fetch-retry': fetchRetry,
  'p-retry': pRetry,
  'async-retry': asyncRetry,
  'axios-rate-limit': axiosRateLimit,
  ...Object.fromEntries(BOTTLENECKS.map((path) => [path, (source: Source) => bottleneck(source, path)])),
  'p-throttle': pThrottle,
  ky,
};
