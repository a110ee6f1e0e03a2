import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import config from '../vitest.config.ts';

export default defineConfig({
  ...config,
  resolve: {
    ...config.resolve,
    alias: [{ find: /^fast-check$/, replacement: fileURLToPath(new URL('few-runs.ts', import.meta.url)) }],
  },
  test: {
    ...config.test,
    include: ['packages/core/src/**/*.test.ts'],
    execArgv: [],
    setupFiles: ['test/mutants/stryker.setup.ts'],
    // A mutant that never settles fails the first test that waits for it.
    testTimeout: 10_000,
  },
});
