// Programs of NestJS, as its command line tool makes and builds them. Installs NestJS from the registry.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { usersEnv } from './release/project.ts';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '../node_modules');
const tarballs = inject('tarballs');

const isOnline = await run('npm', ['ping'], { env: usersEnv() }).then(
  () => true,
  () => {
    console.warn('Skipped: NestJS cannot be installed, because the registry of npm does not respond.');
    return false;
  },
);

/** The settings that `nest new` writes, but for the types. */
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    moduleResolution: 'nodenext',
    resolvePackageJsonExports: true,
    esModuleInterop: true,
    isolatedModules: true,
    removeComments: true,
    emitDecoratorMetadata: true,
    experimentalDecorators: true,
    allowSyntheticDefaultImports: true,
    target: 'ES2023',
    rootDir: '.',
    outDir: './dist',
    skipLibCheck: true,
    strict: true,
    strictPropertyInitialization: false,
    types: ['node'],
    typeRoots: [join(modules, '@types')],
  },
};

/** Packages that NestJS requires if they are there. */
const OPTIONAL = ['@nestjs/microservices*', '@nestjs/platform-*', '@nestjs/websockets*', 'class-*'];

/** Installs NestJS in a folder, with ebb. */
async function install(nest: number, nestAxios: number): Promise<string> {
  const folder = join(inject('folder'), `nest-${nest}-${nestAxios}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const ranges = [`@nestjs/common@${nest}`, `@nestjs/core@${nest}`, `@nestjs/axios@${nestAxios}`];
  const args = [...ranges, 'axios@1', 'rxjs@7', 'reflect-metadata', tarballs.core, tarballs.axios];
  await run('npm', ['install', '--no-audit', '--no-fund', ...(args as string[])], {
    cwd: folder,
    env: usersEnv(),
  });
  return folder;
}

/** Builds the program. Returns the paths of what `nest build` makes, and of a bundle of it. */
async function compile(home: string, type: 'module' | 'commonjs'): Promise<string[]> {
  const folder = join(home, type);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  copyFileSync(join(import.meta.dirname, 'programs/nest.ts'), join(folder, 'main.ts'));
  const typescript = dirname(realpathSync(join(modules, 'typescript6/package.json')));
  await run(process.execPath, [join(typescript, 'bin/tsc'), '-p', folder]).catch(({ stdout }) =>
    expect.fail(stdout),
  );
  const path = join(folder, 'dist/main.js');
  const outfile = join(folder, 'bundle.cjs');
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    platform: 'node',
    external: OPTIONAL,
    logLevel: 'error',
  });
  return [path, outfile];
}

const rows = [
  // NestJS, @nestjs/axios, the kind of the program, and whether it has two copies of axios.
  [11, 4, 'commonjs', false],
  [11, 4, 'module', true],
  [11, 12, 'commonjs', true],
  [11, 12, 'module', false],
  [12, 12, 'commonjs', true],
  [12, 12, 'module', false],
] as const;

const homes = new Map<string, Promise<string>>();

describe.runIf(isOnline).each(rows)(
  'NestJS %i with @nestjs/axios %i, %s',
  (nest, nestAxios, type, isTwice) => {
    test('retries, built and bundled, with the copy of axios that ebb imports or the one that is passed', async () => {
      const key = `${nest} ${nestAxios}`;
      if (!homes.has(key)) homes.set(key, install(nest, nestAxios));
      const [program, bundle] = await compile((await homes.get(key)) as string, type);
      for (const PASS of ['yes', 'no']) {
        for (const path of [program, bundle]) {
          const { stdout } = await run(process.execPath, [path as string], { env: { ...process.env, PASS } });
          expect(JSON.parse(stdout), `${path}, passed: ${PASS}`).toEqual({
            results: [
              [200, null, 2, false],
              [404, 'ERR_BAD_REQUEST', 1, true],
              [null, 'ECONNABORTED', 2, true],
            ],
            warnings: isTwice && PASS === 'no' ? 1 : 0,
          });
        }
      }
    });
  },
);
