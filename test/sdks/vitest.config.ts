import { configDefaults, defineConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

/** The SDKs, which are installed in this folder. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ['test/sdks/*.test.ts'], exclude: configDefaults.exclude },
});
