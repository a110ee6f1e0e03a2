import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** What a user has beside ebb. */
const PEERS = ['axios', 'undici', 'undici7', 'jest', '@types/node', 'bun-types', '@cloudflare/workers-types'];

export interface Installed {
  /** A folder with a `node_modules` in which the packages are as they would be published. */
  readonly folder: string;
  /** The packed packages, by the name of their folder. */
  readonly tarballs: Readonly<Record<string, string>>;
  remove(): void;
}

/** Builds and packs every package, and unpacks it where a user's program would find it. */
export async function install(): Promise<Installed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ebb-packed-')));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages'], {
      cwd: root,
    });
    const names = globSync('packages/*/package.json', { cwd: root }).map((path) =>
      dirname(path).slice('packages/'.length),
    );
    const packed = join(folder, 'packed');
    mkdirSync(packed);
    await run('pnpm', ['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', packed], {
      cwd: root,
    });
    const tarballs: Record<string, string> = {};
    await Promise.all(
      names.map(async (name) => {
        const tarball = readdirSync(packed).find((file) => file.startsWith(`ebb-${name}-`)) ?? '';
        tarballs[name] = join(packed, tarball);
        const home = join(folder, 'node_modules/@ebb', name);
        mkdirSync(home, { recursive: true });
        await run('tar', ['-xzf', tarballs[name], '-C', home, '--strip-components', '1']);
      }),
    );
    for (const peer of PEERS) {
      const link = join(folder, 'node_modules', peer);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(realpathSync(join(root, 'test/node_modules', peer)), link, 'dir');
    }
    return { folder, tarballs, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
