import { BUCKETS } from './buckets.ts';
import { HEDGES } from './hedges.ts';
import type { Promised } from './promise.ts';
import { QUEUES } from './queues.ts';
import { RESUMING } from './resuming.ts';
import { RETRIES } from './retries.ts';
import { SHARED } from './shared.ts';
import { THROTTLE } from './throttle.ts';

/** In the order of `pnpm check promises --row N`, which begins with 1. */
export const PROMISES: readonly Promised[] = [
  ...RETRIES,
  ...BUCKETS,
  ...QUEUES,
  ...THROTTLE,
  ...HEDGES,
  ...RESUMING,
  ...SHARED,
];
