import { defineConfig } from 'vitest/config';

// The packages as they are published: what a user's Node, Jest and TypeScript make of them.
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['**/*.test.ts'],
    globalSetup: ['setup.ts'],
    testTimeout: 60_000,
  },
});
