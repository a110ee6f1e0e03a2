import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

// Every mutant runs its tests anew: fewer runs of the longest property are enough for it.
process.env.EBB_RUNS ??= '300';

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['packages/core/src/**/*.test.ts'],
    // Stryker runs the tests in worker threads, which take no flags of V8; no test of core needs one.
    execArgv: [],
  },
});
