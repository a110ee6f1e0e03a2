import type { Source } from '../file/source.ts';
import { asyncRetry } from './async-retry.ts';
import { axiosRetry } from './axios-retry.ts';
import { pRetry } from './p-retry.ts';

/** How the uses of each library are rewritten. */
export const RULES: Readonly<Record<string, (source: Source) => void>> = {
  'axios-retry': axiosRetry,
  'p-retry': pRetry,
  'async-retry': asyncRetry,
};
