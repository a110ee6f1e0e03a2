import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

// What is worth more time than a run of all tests has: the figures of the storm, and five times as many runs of
// the property that the bucket rests on.
process.env.EBB_LONG = '1';
process.env.EBB_RUNS ??= '50000';

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['packages/simulator/src/golden.test.ts', 'packages/core/src/bucket.property.test.ts'],
    testTimeout: 300_000,
  },
});
