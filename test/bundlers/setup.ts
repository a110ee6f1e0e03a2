import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { byName, pack, packedIn } from '../packed/pack.ts';
import { usersEnv, writeProject } from '../packed/release/project.ts';

declare module 'vitest' {
  interface ProvidedContext {
    project: string;
  }
}

const SCRIPTS = {
  start: 'node --import ./src/upstream.js src/node.js',
  esbuild:
    'esbuild src/node.js --bundle --platform=node --outfile=dist/esbuild/node.cjs && ' +
    'esbuild src/web.js --bundle --minify --format=esm --outfile=dist/esbuild/web.js',
  webpack: 'webpack',
  rollup: 'rollup --config',
  vite: 'vite build && vite build --config vite.server.config.js',
  metro:
    'mkdir -p dist/metro && metro build src/web.js --platform web --out dist/metro/web && ' +
    'metro build src/web.js --platform ios --out dist/metro/ios',
};

/** Installs the packed packages and the bundlers, in the versions of this folder, in a project outside of the repository. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ebb-bundlers-')));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
  try {
    const { EBB_PACKED } = process.env;
    const { core, fetch, axios, undici } = byName(
      EBB_PACKED === undefined ? await pack(join(folder, 'packed')) : packedIn(EBB_PACKED),
    );
    const home = join(folder, 'project');
    cpSync(join(import.meta.dirname, 'project'), home, { recursive: true });
    cpSync(join(import.meta.dirname, 'pnpm-lock.yaml'), join(home, 'pnpm-lock.yaml'));
    const { devDependencies } = JSON.parse(read('package.json'));
    const fields = { type: 'module', scripts: SCRIPTS, devDependencies };
    writeProject(home, { core, fetch, axios, undici }, fields, read('pnpm-workspace.yaml'));
    const args = ['install', '--no-frozen-lockfile', '--prefer-offline'];
    await promisify(execFile)('pnpm', args, { cwd: home, env: usersEnv() });
    project.provide('project', home);
    return remove;
  } catch (error) {
    remove();
    throw error;
  }
}
