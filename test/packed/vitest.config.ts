import { configDefaults, defineConfig } from 'vitest/config';

/** The compilers between the oldest and the newest, and programs with many packages. They run with the long tests. */
export const LONG: string[] = [
  'types/typescript-5.9.test.ts',
  'types/typescript-6.test.ts',
  'nest.test.ts',
  'managers.test.ts',
];

// Tests of the packages as they are published, in Node, Jest and TypeScript.
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...LONG],
    globalSetup: ['setup.ts'],
    testTimeout: 60_000,
  },
});
