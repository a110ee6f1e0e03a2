import { configDefaults, defineConfig } from 'vitest/config';

// The programs that tests start, a hundred of them, compile the same sources: once is enough. It is read when a Node
// starts, so that the workers of this run have it, too.
process.env.NODE_COMPILE_CACHE ??= new URL('../node_modules/.cache/ebb-tests', import.meta.url).pathname;

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  // The packages' own sources, not what was last built of them.
  resolve: { conditions: ['@ebb/source'] },
  ssr: { resolve: { conditions: ['@ebb/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // Those of the packed packages look at what is built, and that of the playground is among the long ones.
    exclude: [...configDefaults.exclude, 'test/packed/**', 'test/playground.test.ts'],
    // For what happens when nobody holds a response any more.
    execArgv: ['--expose-gc'],
    // As many as there are processors, where vitest leaves one of them to itself: half of what a small machine has.
    maxWorkers: '100%',
    // A limit is for what hangs. A machine that is busy with other things makes no test fail.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 50_000, interval: 10 } },
    // A rejection that nobody handles fails the run.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
