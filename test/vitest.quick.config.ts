import { defineConfig } from 'vitest/config';
import { SLOW } from './slow.ts';
import shared from './vitest.config.ts';

/** What `test` runs. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, exclude: [...(shared.test?.exclude ?? []), ...Object.values(SLOW).flat()] },
});
