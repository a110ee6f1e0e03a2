// Runs the tests on the other Node versions that vitest runs on; `test` itself runs on the newest LTS. Node 20 is a column of
// the grid, `test:runtimes`.
// Arguments are passed on to vitest: files, or -t and a name.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const VERSIONS = [22, 26];
/** Long tests that do not depend on the version. */
const LEFT_OUT = [
  'packages/**/*.property.test.ts',
  'packages/simulator/**',
  'packages/valkey/src/closed-loop.test.ts',
  'packages/valkey/src/processes.test.ts',
  'packages/valkey/src/store-trouble.test.ts',
  'test/api/**',
  'test/figures.test.ts',
  'test/fleet.test.ts',
  // Instructions are those of one version of V8.
  'test/growth/growth.test.ts',
];

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const filters = given.length > 0 ? given : LEFT_OUT.map((glob) => `--exclude=${glob}`);

const failed = VERSIONS.filter((version) => {
  const bin = join(root, 'test/runtimes/node_modules', `node${version}`, 'bin');
  // So that programs started by tests run on the same version.
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...filters];
  console.log(`\nThe tests on ${spawnSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).stdout}`);
  return spawnSync(join(bin, 'node'), args, { cwd: root, env, stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`The tests fail on Node ${failed.join(' and ')}.`);
  process.exitCode = 1;
}
