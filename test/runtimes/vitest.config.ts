import { defineConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

/** The grid of clients and runtimes. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/runtimes/*.test.ts'], exclude: [] },
});
