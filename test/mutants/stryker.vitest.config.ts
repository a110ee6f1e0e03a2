import { defineConfig } from 'vitest/config';
import config from '../vitest.config.ts';

// Each mutant runs its tests again, so the longest property gets fewer runs.
process.env.EBB_RUNS ??= '300';

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['packages/core/src/**/*.test.ts'],
    execArgv: [],
    setupFiles: ['test/mutants/stryker.setup.ts'],
  },
});
