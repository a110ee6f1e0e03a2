import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { byName, pack, packedIn } from './pack.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Other packages of a user's project, and those that ours depend on. */
const PEERS = [
  '@ast-grep/napi',
  'diff',
  'axios',
  'undici',
  'undici7',
  '@opentelemetry/api',
  'jest',
  '@types/node',
  'bun-types',
  '@cloudflare/workers-types',
];

export interface Installed {
  /** A folder whose `node_modules` has the packages as they would be published. */
  readonly folder: string;
  /** The packed packages, by the name of their folder. */
  readonly tarballs: Readonly<Record<string, string>>;
  remove(): void;
}

/** Builds and packs every package, or takes those of a folder, and unpacks them into `node_modules` of a new folder. */
export async function install(packed?: string): Promise<Installed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ebb-packed-')));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const tarballs = byName(packed === undefined ? await pack(join(folder, 'packed')) : packedIn(packed));
    await Promise.all(
      Object.entries(tarballs).map(async ([name, path]) => {
        const home = join(folder, 'node_modules/@ebb', name);
        mkdirSync(home, { recursive: true });
        await run('tar', ['-xzf', path, '-C', home, '--strip-components', '1']);
      }),
    );
    for (const peer of PEERS) {
      const link = join(folder, 'node_modules', peer);
      mkdirSync(dirname(link), { recursive: true });
      const found = ['test/packed', 'test', 'packages/migrate']
        .map((from) => join(root, from, 'node_modules', peer))
        .find(existsSync);
      symlinkSync(realpathSync(found ?? peer), link, 'dir');
    }
    return { folder, tarballs, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
