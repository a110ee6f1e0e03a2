import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW } from './slow.ts';
import shared from './vitest.config.ts';

const exclude = [...(shared.test?.exclude ?? []), ...Object.values(SLOW).flat()];

/** Tests of code that has no state but what each test makes. They share processes, whose start takes longer than most of them. */
const PURE = ['packages/{core,simulator}/src/**/*.test.ts'];

// Some tests wait for sockets and for the garbage collector.
const test = { ...shared.test, maxWorkers: Math.ceil(availableParallelism() * 1.5) };

/** What `test` runs. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    maxWorkers: test.maxWorkers,
    projects: [
      { ...shared, extends: false, test: { ...test, name: 'pure', include: PURE, exclude, isolate: false } },
      { ...shared, extends: false, test: { ...test, name: 'others', exclude: [...exclude, ...PURE] } },
    ],
  },
});
