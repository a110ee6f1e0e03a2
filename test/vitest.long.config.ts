import { configDefaults, defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

// Slow tests: the figures of the storm, fleets of 100,000 quiet clients, the playground in a browser, 50,000 runs of the
// main properties of buckets, 10,000 bodies that axios and undici look into, 100,000 event streams that break, in fetch
// and in undici, 100,000 calls that are aborted at any moment, more fleets that share a bucket, and every combination where `test` runs pairs.
process.env.EBB_LONG = '1';
process.env.EBB_RUNS ??= '50000';

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: [
      'packages/simulator/src/studies/golden.test.ts',
      'packages/simulator/src/studies/storm/quiet-clients.test.ts',
      'packages/core/src/limits/bucket/token-bucket.property.test.ts',
      'packages/core/src/limits/bucket/quota-bucket.property.test.ts',
      'packages/axios/src/body/peek.property.test.ts',
      'packages/resume/src/fetch/resumable.property.test.ts',
      'packages/valkey/src/closed-loop.test.ts',
      'packages/valkey/src/starts.test.ts',
      'packages/undici/src/inspect.property.test.ts',
      'packages/resume/src/undici/resumable.property.test.ts',
      'packages/undici/src/played-errors.test.ts',
      'test/answer.test.ts',
      'test/broken-bodies.test.ts',
      'test/event-order.test.ts',
      'test/hedges.test.ts',
      'test/http2.test.ts',
      'test/playground.test.ts',
      'test/redirects/redirects.test.ts',
      'test/redirects/versions.test.ts',
      'test/undici-clients.test.ts',
    ],
    exclude: configDefaults.exclude,
    testTimeout: 300_000,
  },
});
