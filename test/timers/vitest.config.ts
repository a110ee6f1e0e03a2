import { configDefaults, defineConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

/** Fakes of timers, by library and version. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/timers/*.test.ts'], exclude: configDefaults.exclude },
});
