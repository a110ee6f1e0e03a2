import { execFile } from 'node:child_process';
import { cpSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { packages } from '../build/packages.ts';
import { nodes } from './nodes.ts';

const run = promisify(execFile);
const folder = join(inject('folder'), 'commonjs');
cpSync(join(import.meta.dirname, 'programs'), folder, { recursive: true });
writeFileSync(join(folder, 'package.json'), '{}');

/** undici 8, which the register door would load, does not run on Node 20. */
const onNode20 = { ...process.env, EBB_TEST_UNDICI: 'undici7', EBB: 'off' };

describe.each(nodes)('Node %s', (version, node) => {
  const env = version.startsWith('v20.') ? onNode20 : process.env;
  const program = async (name: string): Promise<string> =>
    (await run(node, [join(folder, name)], { env })).stdout.trim();

  test.concurrent('every package works with require', async () => {
    expect(await program('node.cjs')).toBe(
      'fetch,axios,undici,bucket,compat,valkey,opentelemetry,simulator,testing',
    );
  });

  test.concurrent('every door exports the same names to import and to require', async () => {
    const doors = packages().flatMap((one) => one.doors);
    expect(await program('doors.mjs')).toBe(`${doors.length} doors`);
  });

  test.concurrent('NODE_DEBUG=ebb prints each event of both copies once', async () => {
    const { stderr } = await run(node, [join(folder, 'debug.cjs')], { env: { ...env, NODE_DEBUG: 'ebb' } });
    const told = [...stderr.matchAll(/^EBB .*GET http:\/\/upstream\.test\/things +(\d) {2}([\w-]+)/gm)];
    const one = ['1 attempt', '1 retry', '2 attempt', '2 end'];
    expect(told.map(([, attempt, type]) => `${attempt} ${type}`)).toEqual([...one, ...one]);
  });

  test.concurrent('the required and the imported copy accept each other', async () => {
    expect(await program('two-copies.mjs')).toBe('both know each other');
  });
});

test.concurrent('Jest runs it without flags', async () => {
  const jest = join(realpathSync(join(inject('folder'), 'node_modules/jest')), 'bin/jest.js');
  const { stderr } = await run(process.execPath, [jest, '--rootDir', folder, '--runInBand'], { cwd: folder });
  expect(stderr).toMatch(/Tests: +9 passed, 9 total/);
});
