import { configDefaults, defineConfig } from 'vitest/config';

// Tests start about a hundred programs from the same sources. With a cache Node compiles each source once.
process.env.NODE_COMPILE_CACHE ??= new URL('../node_modules/.cache/ebb-tests', import.meta.url).pathname;

/** Tests of the entry for browsers alone: see vitest.web.config.ts. */
export const WEB_ALONE: readonly string[] = [
  'packages/core/src/platform/web-*.test.ts',
  'test/adapters-web.test.ts',
];

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  // Resolve the packages to their sources, not to the last build.
  resolve: {
    conditions: ['@ebb/source', 'node'],
    alias: [{ find: /^fast-check$/, replacement: new URL('fast-check.ts', import.meta.url).pathname }],
  },
  ssr: { resolve: { conditions: ['@ebb/source', 'node'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // These folders have configurations of their own. The playground is one of the long tests.
    exclude: [
      ...configDefaults.exclude,
      'test/bundlers/**',
      'test/packed/**',
      'test/runtimes/**',
      'test/site/**',
      'test/sdks/**',
      'test/timers/**',
      'test/playground.test.ts',
      ...WEB_ALONE,
    ],
    // Some tests collect garbage, for instance a response that is no longer referenced.
    execArgv: ['--expose-gc'],
    // By default vitest uses one processor less, which is half of a small machine.
    maxWorkers: '100%',
    // Timeouts are for hangs only: a busy machine must not fail a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000, interval: 10 } },
    // An unhandled rejection fails the run.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
