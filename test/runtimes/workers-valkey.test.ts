import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { program, startServer } from '../../packages/valkey/test/server.ts';
import { workerd } from './workerd.ts';
import { service } from './workers/service.ts';
import { startWorker } from './workers/start.ts';

/** As wrangler does for `nodejs_compat`: the client of the store requires modules of Node without their prefix. */
const nodeModules: Plugin = {
  name: 'modules of Node',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${builtinModules.join('|')})$`) }, ({ path }) => ({
      path: `node:${path}`,
      external: true,
    }));
  },
};

describe.skipIf(workerd.missing !== undefined || program === undefined)('with a store', () => {
  const OK = Array(4).fill('200 ok');
  const error = expect.stringMatching(/^TypeError: .*docs\/guide\/workers\.md$/);
  // A budget lends retries to a process once it has asked for them: until then it refuses them.
  const SOON = Array(4).fill(expect.stringMatching(/^(200|503) ok$/));

  test.for([
    ['bucket', 'each request', OK],
    ['bucket', 'first request', ['200 ok', error, error, error]],
    ['budget', 'each request', SOON],
    ['budget', 'first request', SOON],
  ] as const)('a %s, made in: %s', async ([limit, scope, expected]) => {
    await using store = await startServer();
    await using upstream = await service();
    await using worker = await startWorker(
      {
        entryPoints: [new URL('workers/stores.ts', import.meta.url).pathname],
        platform: 'neutral',
        mainFields: ['module', 'main'],
        external: ['node:*'],
        plugins: [nodeModules],
        banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
        define: { STORE: JSON.stringify(store.url) },
      },
      { compatibilityDate: '2026-07-01', compatibilityFlags: ['nodejs_compat'] },
    );
    const path = limit === 'bucket' ? 'ok' : 'busy';
    const asked = OK.map((_, at) => worker.ask('', { limit, scope, to: `${upstream.origin}/${path}/${at}` }));
    expect((await Promise.all(asked)).sort()).toEqual(expected);
  });
});
