import { defineConfig } from 'vitest/config';

// Programs of a user with the packed packages, as bundlers build them.
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  test: {
    include: ['*.test.ts'],
    globalSetup: ['setup.ts'],
    testTimeout: 60_000,
    // A build takes half a minute on a busy machine.
    hookTimeout: 300_000,
    expect: { poll: { timeout: 50_000 } },
  },
});
