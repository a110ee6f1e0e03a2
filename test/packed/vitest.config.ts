import { configDefaults, defineConfig } from 'vitest/config';

/** The compilers between the oldest and the newest: among the long tests. */
export const LONG: string[] = ['types/typescript-5.9.test.ts', 'types/typescript-6.test.ts'];

// The packages as they are published: what a user's Node, Jest and TypeScript make of them.
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...LONG],
    globalSetup: ['setup.ts'],
    testTimeout: 60_000,
  },
});
