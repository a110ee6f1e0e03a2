import { defineConfig, mergeConfig } from 'vitest/config';
import base, { WEB_ALONE } from './vitest.config.ts';

/** The entry for browsers, in Node. The condition "ebb-web" is for these tests alone. */
const conditions = ['@ebb/source', 'ebb-web'];

/** Crowds, channels, and what keeps a process alive. */
const NODE_ALONE = [
  'packages/core/src/platform/node-*.test.ts',
  'packages/core/src/loop/channels.test.ts',
  'packages/core/src/base/background.test.ts',
];

export default defineConfig(() => {
  const config = mergeConfig(base, { test: { env: { EBB_PLATFORM: 'web' } } });
  config.resolve = { ...config.resolve, conditions };
  config.ssr = { resolve: { conditions } };
  config.test.exclude = [...config.test.exclude.filter((path: string) => path !== WEB_ALONE), ...NODE_ALONE];
  config.test.include = ['packages/core/src/{base,http,platform,policy}/**/*.test.ts'];
  return config;
});
