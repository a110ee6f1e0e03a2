import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Block, blocksOf } from '../../page-blocks.ts';
import type { Packed } from './packed.ts';

const root = join(import.meta.dirname, '../../..');

const TELEMETRY = ['@opentelemetry/api', '@opentelemetry/sdk-metrics', '@opentelemetry/sdk-trace'];

/** What else the first programs of the pages import. */
const PEERS = ['axios', 'undici', 'iovalkey', ...TELEMETRY];

/** The environment of a user: pnpm's variables would let npm and programs see the packages of this repository. */
export function usersEnv(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => {
    return !/^(npm_(?!config_registry)|pnpm_|NODE_(PATH|OPTIONS|ENV)$|VALKEY_URL$)/i.test(name);
  });
  return { ...Object.fromEntries(kept), ...more };
}

/** Installs packed packages and their peers with npm in an empty folder outside of the repository, and returns it. */
export async function installWithNpm(packed: readonly Packed[]): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ebb-project-')));
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'test/package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const peers = PEERS.map((name) => `${name}@${devDependencies[name] ?? 'latest'}`);
  const args = ['install', '--no-audit', '--no-fund', ...packed.map(({ path }) => path), ...peers];
  await promisify(execFile)('npm', args, { cwd: folder, env: usersEnv() });
  return folder;
}

/**
 * Writes package.json and pnpm-workspace.yaml of a project that has packed packages, for any package manager.
 *
 * @param tarballs by the name of the package's folder
 * @param fields further fields of package.json
 * @param settings further settings of pnpm
 */
export function writeProject(
  folder: string,
  tarballs: Readonly<Record<string, string | undefined>>,
  fields: Readonly<Record<string, unknown>>,
  settings = '',
): void {
  const packages = Object.entries(tarballs).map(([name, path]) => [`@ebb/${name}`, `file:${path}`]);
  // Until they are published, none must look for another in the registry.
  const only = Object.fromEntries(packages);
  const dependencies = { ...Object.fromEntries(packages), ...Object(fields.dependencies) };
  // Of npm and Bun, and of Yarn.
  const manifest = { private: true, ...fields, dependencies, overrides: only, resolutions: only };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  // pnpm.
  const overrides = packages.map(([name, path]) => `  '${name}': '${path}'\n`).join('');
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), `${settings}overrides:\n${overrides}`);
}

/** The first program of a page. */
export function firstProgramOf(page: string, client?: string): Block | undefined {
  const fits = ({ language, label }: Block): boolean => language === 'ts' && label === (client ?? label);
  return blocksOf(join(root, page)).find(fits);
}
