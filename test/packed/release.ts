// Packs all packages, checks what was packed, and publishes it:
//   pnpm release                           in the release workflow, because provenance needs its identity
//   pnpm release --dry-run                 packs and checks, and publishes nothing
//   pnpm release --dry-run size            runs some of the checks
//   pnpm release --dry-run --update size   records the sizes
// With --packed FOLDER it takes the tarballs of that folder instead of packing again.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, packedIn } from './pack.ts';
import { CHECKS, runChecks } from './release/checks.ts';
import { leftBefore } from './release/home.ts';
import { packedAt } from './release/packed.ts';
import { publish } from './release/publish.ts';
import { linesOf } from './release/result.ts';
import { publicationOf } from './release/versions.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    packed: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !(name in CHECKS));
if (unknown.length > 0) throw new Error(`no check ${unknown}; there are ${Object.keys(CHECKS).join(', ')}`);
if (positionals.length > 0 && !values['dry-run'])
  throw new Error('a release runs every check: add --dry-run');

let passed = 0;
let failed = 0;
let version = '';
const folder = values.packed ?? mkdtempSync(join(tmpdir(), 'ebb-release-'));
try {
  const paths = values.packed === undefined ? await pack(folder) : packedIn(folder);
  const packed = paths.sort().map(packedAt);
  const names = positionals.length > 0 ? positionals : Object.keys(CHECKS);
  await runChecks(names, { packed, folder, update: values.update }, (result) => {
    if (result.problems.length === 0) passed += 1;
    else failed += 1;
    console.log(linesOf(result));
  });
  const order = publicationOf(packed).map((one) => `  ${one.name} ${one.version}`);
  version = packed[0]?.manifest.version ?? '';
  console.log(
    `\nA release publishes what the registry lacks of these, in this order:\n${order.join('\n')}\n`,
  );
} finally {
  if (values.packed === undefined) rmSync(folder, { recursive: true });
}

console.log(`${passed} passed, ${failed} failed.`);
if (values['dry-run']) {
  console.log('Dry run: nothing was published.');
  const { repository } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  for (const one of leftBefore(repository.url)) console.log(`Left before a release: ${one}`);
}
process.exitCode = failed > 0 ? 1 : values['dry-run'] ? 0 : publish(version);
