import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  // The packages' own sources, not what was last built of them.
  resolve: { conditions: ['@ebb/source'] },
  ssr: { resolve: { conditions: ['@ebb/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    // They have a configuration of their own, since they look at what is built.
    exclude: [...configDefaults.exclude, 'test/packed/**'],
    // For what happens when nobody holds a response any more.
    execArgv: ['--expose-gc'],
    // A rejection that nobody handles fails the run.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
