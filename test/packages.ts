// Packs every package as it would be published and holds it against publint and are-the-types-wrong.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const packed = mkdtempSync(join(tmpdir(), 'ebb-packed-'));
try {
  for (const directory of globSync('packages/*/package.json')
    .map((path) => dirname(path))
    .sort()) {
    execFileSync('pnpm', ['pack', '--pack-destination', packed], { cwd: directory, stdio: 'ignore' });
  }
  for (const name of readdirSync(packed)) {
    const tarball = resolve(packed, name);
    execFileSync('pnpm', ['exec', 'publint', 'run', tarball, '--strict'], { stdio: 'inherit' });
    // ESM alone is meant: `require` of it works in every Node that is supported, without types of its own.
    execFileSync('pnpm', ['exec', 'attw', tarball, '--profile', 'esm-only', '--quiet'], { stdio: 'inherit' });
    console.log(`${name}: publint and are-the-types-wrong are content`);
  }
} finally {
  rmSync(packed, { recursive: true });
}
