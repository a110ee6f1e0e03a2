import { defineConfig, mergeConfig } from 'vitest/config';
import base, { WEB_ALONE } from './vitest.config.ts';

/** The entry for browsers, in Node. The condition "ebb-web" is for these tests alone. */
const conditions = ['@ebb/source', 'ebb-web'];

/** Crowds, channels, and what keeps a process alive. */
const NODE_ALONE = [
  'packages/core/src/platform/node-*.test.ts',
  'packages/core/src/loop/channels.test.ts',
  'packages/core/src/base/background.test.ts',
  // Proof of the first hop, which browsers do not report.
  'packages/fetch/src/redirects.test.ts',
  // Layers that find each other without a mark in the init.
  'packages/fetch/src/layers.test.ts',
  'packages/fetch/src/layers-without-context.test.ts',
  // Next.js and Bun.
  'packages/fetch/src/next.test.ts',
  'packages/fetch/src/preconnect.test.ts',
  // Signals of other libraries, and node-fetch: a browser's fetch takes its own signals alone.
  'packages/fetch/src/foreign-signal.test.ts',
  'packages/fetch/src/aborts.test.ts',
  'packages/fetch/src/base-fetch.test.ts',
  // What a factory has made is closed with its response, and a body that was discarded says so.
  'packages/fetch/src/body/body-factory.test.ts',
  'packages/fetch/src/body/aside.test.ts',
  // A server that may have redirected.
  'packages/fetch/src/header-changes.test.ts',
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
