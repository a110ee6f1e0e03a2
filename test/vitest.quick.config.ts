import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW } from './slow.ts';
import shared from './vitest.config.ts';

const exclude = [...(shared.test?.exclude ?? []), ...Object.values(SLOW).flat()];

/**
 * Tests that need a process of their own: they change globals before they import, or are about what one program has
 * loaded, collected or seen of other clients. The others share processes, whose start takes longer than most of them.
 */
const ALONE = [
  'packages/axios/src/{axios-copy,loaded-modules,other-copy,traits,xhr}.test.ts',
  'packages/fetch/src/{layers,layers-collected,next}.test.ts',
  'packages/undici/src/relay.test.ts',
  'test/alone/*.test.ts',
  'test/jobs/*.test.ts',
  'test/layers*.test.ts',
];

// Some tests wait for sockets and for the garbage collector.
const test = { ...shared.test, maxWorkers: Math.ceil(availableParallelism() * 1.5) };

/** What `test` runs. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    maxWorkers: test.maxWorkers,
    projects: [
      {
        ...shared,
        extends: false,
        test: { ...test, name: 'shared', exclude: [...exclude, ...ALONE], isolate: false },
      },
      { ...shared, extends: false, test: { ...test, name: 'alone', include: ALONE, exclude } },
    ],
  },
});
