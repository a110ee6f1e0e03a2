import { defineConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

/** The grid of clients and runtimes, which prints itself at the end. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: ['test/runtimes/*.test.ts'],
    exclude: [],
    reporters: ['default', './test/runtimes/grid-reporter.ts'],
  },
});
