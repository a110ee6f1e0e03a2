import { defineConfig } from 'vitest/config';

// Tests of the documentation site, as it is built.
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  test: {
    include: ['test/site/**/*.test.ts'],
    globalSetup: ['test/site/setup.ts'],
    // Timeouts are for hangs only: a busy machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
