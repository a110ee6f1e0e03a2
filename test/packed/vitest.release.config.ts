import { configDefaults, defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

// What a release runs on its tarballs: everything but the tests of the release itself, and all compilers.
export default defineConfig({
  ...config,
  test: { ...config.test, exclude: [...configDefaults.exclude, 'release.test.ts', 'version.test.ts'] },
});
