import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { nodes } from './nodes.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(inject('folder'), 'simulator-'));
const command = join(inject('folder'), 'node_modules/@ebb/simulator/dist/cli.js');

const SCENARIO = `{
  durationMs: 1_000,
  clients: { count: 2, requestsPerSecond: 5 },
  server: { workers: 1, serviceMs: 20 },
  policy: {},
}`;
const files = {
  'a.mjs': `export default ${SCENARIO};`,
  'a.mts': `export default ${SCENARIO} satisfies object;`,
  'a.ts': `export default ${SCENARIO} satisfies object;`,
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

// The built program stands elsewhere in the package than its source.
test.concurrent.each(['simulator', 'valkey'])('the program of @ebb/%s says its version', async (name) => {
  const home = join(inject('folder'), 'node_modules/@ebb', name);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const { stdout } = await run(process.execPath, [join(home, 'dist/cli.js'), '--version']);
  expect(stdout).toBe(`${version}\n`);
});

test.concurrent.each(nodes)('in Node %s ebb-sim runs a scenario, or says why not', async (version, node) => {
  for (const name of Object.keys(files)) {
    const ended = run(node, [command, join(folder, name)]);
    if (version.startsWith('v20.') && name.endsWith('ts')) {
      await expect(ended).rejects.toMatchObject({
        code: 1,
        stderr: `ebb-sim: Node ${version} does not run TypeScript; use Node 22.18 or later, or a scenario in .mjs or .json (in ${name})\n`,
      });
    } else {
      expect((await ended).stdout).toMatch(/^policy +sends +answered/);
    }
  }
});

// As `npm init` declares a package.
test.concurrent.each(nodes)(
  'in Node %s the error names the ending of an ES module',
  async (version, node) => {
    const home = join(folder, version);
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{ "type": "commonjs" }');
    const endings = version.startsWith('v20.') ? ['js'] : ['js', 'ts'];
    for (const ending of endings) {
      const path = join(home, `a.${ending}`);
      writeFileSync(path, `export default ${SCENARIO};`);
      await expect(run(node, [command, path])).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `it has the syntax of an ES module; call it .m${ending} (in a.${ending})`,
        ),
      });
    }
  },
);
