import { readdirSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { programs } from '../packages/valkey/test/server.ts';
import config from './vitest.config.ts';

// The tests of @ebb/valkey that start a server run on Valkey if it is there. These are the same tests, on Redis.
process.env.EBB_STORE = 'redis-server';

const isBoth = programs.length === 2;
if (!isBoth) {
  const ran = programs[0] ?? 'neither';
  console.warn(`@ebb/valkey: of valkey-server and redis-server ${ran} is there, so there is no second run.`);
}

const folder = new URL('../packages/valkey/src/', import.meta.url);
const include = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => /\/test\/(server|store)\.ts'/.test(readFileSync(new URL(name, folder), 'utf8')))
  .map((name) => `packages/valkey/src/${name}`);

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: isBoth ? include : [],
    exclude: configDefaults.exclude,
    passWithNoTests: true,
  },
});
