import { defineConfig } from 'vitest/config';
import { SLOW } from './slow.ts';
import shared from './vitest.config.ts';

const exclude = [...(shared.test?.exclude ?? []), ...Object.values(SLOW).flat()];

/** Tests of code that has no state but what each test makes. They share processes, whose start takes longer than most of them. */
const PURE = ['packages/{core,simulator}/src/**/*.test.ts'];

/** What `test` runs. */
export default defineConfig({
  root: shared.root,
  test: {
    maxWorkers: '100%',
    projects: [
      { ...shared, extends: false, test: { ...shared.test, name: 'pure', include: PURE, exclude, isolate: false } },
      { ...shared, extends: false, test: { ...shared.test, name: 'others', exclude: [...exclude, ...PURE] } },
    ],
  },
});
