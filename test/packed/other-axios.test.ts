import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, transform } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { nodes } from './nodes.ts';

const run = promisify(execFile);
const folder = join(inject('folder'), 'other-axios');
const source = readFileSync(join(import.meta.dirname, 'programs/other-axios.mjs'), 'utf8');

/** A program, and a dependency that made an instance with the other of the two copies of axios. */
const projects = {
  // As in NestJS, whose `@nestjs/axios` is an ES module.
  'a CommonJS program and an ES module': {
    file: 'program.cjs',
    program: (await transform(source, { format: 'cjs', platform: 'node' })).code,
    dependency:
      "import axios from 'axios';\nexport { axios as own };\nexport const client = axios.create();\n",
    type: 'module',
  },
  'an ES module and a CommonJS package': {
    file: 'program.mjs',
    program: source,
    dependency: "const axios = require('axios');\nexports.own = axios;\nexports.client = axios.create();\n",
    type: 'commonjs',
  },
} as const;

/** Writes the program and its dependency. Returns the paths of the program and of its bundle. */
async function write(name: keyof typeof projects): Promise<string[]> {
  const { file, program, dependency, type } = projects[name];
  const home = join(folder, type, 'node_modules/some-client');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type, exports: './index.js' }));
  writeFileSync(join(home, 'index.js'), dependency);
  const path = join(folder, type, file);
  writeFileSync(path, program);
  const outfile = join(folder, type, 'bundle.cjs');
  await build({ entryPoints: [path], outfile, bundle: true, platform: 'node', logLevel: 'silent' });
  return [path, outfile];
}

/** The result of each request, if errors are of the copy of the program, or of that of the instance. */
const results = (of: readonly [program: boolean, instance: boolean], warnings: number) => {
  const failed = { attempts: 1, is: [true, false], of };
  return {
    success: { status: 200, attempts: 2, is: [false, false], of: [false, false] },
    refused: { ...failed, status: 404, code: 'ERR_BAD_REQUEST' },
    timeout: { ...failed, code: 'ECONNABORTED' },
    canceled: { ...failed, code: 'ERR_CANCELED', is: [true, true] },
    mocked: { status: 203, attempts: 1, is: [false, false], of: [false, false] },
    warnings,
  };
};

describe.each(Object.keys(projects) as (keyof typeof projects)[])('%s', async (name) => {
  const [program = '', bundle = ''] = await write(name);

  describe.each(nodes)('Node %s', (_, node) => {
    const printed = async (path: string, PASS: string): Promise<unknown> =>
      JSON.parse((await run(node, [path], { env: { ...process.env, PASS } })).stdout);

    test.concurrent('uses the copy that ebb imports, as the program does, and warns', async () => {
      for (const path of [program, bundle]) {
        expect(await printed(path, 'no')).toEqual(results([true, false], 1));
      }
    });

    test.concurrent('uses the copy that it passes', async () => {
      for (const path of [program, bundle]) {
        expect(await printed(path, 'yes')).toEqual(results([true, false], 0));
      }
    });
  });
});
