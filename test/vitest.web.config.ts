import { defineConfig, mergeConfig } from 'vitest/config';
import base, { WEB_ALONE } from './vitest.config.ts';

/** The entry for browsers, in Node. The condition "ebb-web" is for these tests alone. */
const conditions = ['@ebb/source', 'ebb-web'];

/** Channels, and what keeps a process alive. Rows of other files are skipped by themselves, with the reason. */
const NODE_ALONE = [
  'packages/core/src/call/channels.test.ts',
  'packages/core/src/base/background.test.ts',
  // Layers that find each other without a mark in the init.
  'packages/fetch/src/layers-without-context.test.ts',
  // Next.js and Bun.
  'packages/fetch/src/next.test.ts',
  'packages/fetch/src/preconnect.test.ts',
];

export default defineConfig(() => {
  const config = mergeConfig(base, { test: { env: { EBB_PLATFORM: 'web' } } });
  config.resolve = { ...config.resolve, conditions };
  config.ssr = { resolve: { conditions } };
  config.test.exclude = [
    ...config.test.exclude.filter((path: string) => !WEB_ALONE.includes(path)),
    ...NODE_ALONE,
  ];
  config.test.include = [
    'packages/core/src/{base,http,platform,backoff}/**/*.test.ts',
    'packages/fetch/src/**/*.test.ts',
    'packages/axios/src/{xhr,options,interceptor,cancel,late-adapter,adapter}.test.ts',
    'test/adapters-web.test.ts',
  ];
  return config;
});
