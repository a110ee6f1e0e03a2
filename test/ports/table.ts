import type { Port } from './port.ts';
import { ROWS as asyncRetry } from './rows/async-retry.ts';
import { ROWS as axiosRetry } from './rows/axios-retry.ts';
import { ROWS as bottleneck } from './rows/bottleneck.ts';
import { ROWS as fetchRetry } from './rows/fetch-retry.ts';
import { ROWS as got } from './rows/got.ts';
import { ROWS as ky } from './rows/ky.ts';
import { ROWS as pRetry } from './rows/p-retry.ts';
import { ROWS as pThrottle } from './rows/p-throttle.ts';

/** By library. */
export const PORTS: Readonly<Record<string, readonly Port[]>> = {
  'axios-retry': axiosRetry,
  'fetch-retry': fetchRetry,
  'p-retry': pRetry,
  'async-retry': asyncRetry,
  got,
  ky,
  bottleneck,
  'p-throttle': pThrottle,
};
