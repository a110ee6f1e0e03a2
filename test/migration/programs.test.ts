// Runs programs of several files beside what @ebb/migrate makes of them, also those that keep a TODO: no part of one may
// behave in another way than before.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { migrateAll, type Program } from '../../packages/migrate/src/rules/run.ts';
import { ROWS, type Row } from '../../packages/migrate/test/programs.ts';
import { difference, makeFolders, type Plays, play } from './moved/compare.ts';
import { SCRIPTS } from './moved/scripts.ts';

/** What programs load besides: as much of it as they use. */
const STUBS: Readonly<Record<string, readonly [program: string, types: string]>> = {
  '@nestjs/axios': [
    `import axios from 'axios';
export class HttpModule {}
export class HttpService {
  axiosRef = axios.create();
  get(url, config) { return this.axiosRef.get(url, config); }
}`,
    `import type { AxiosInstance, AxiosRequestConfig, AxiosResponse } from 'axios';
export class HttpModule {}
export class HttpService {
  readonly axiosRef: AxiosInstance;
  get<T>(url: string, config?: AxiosRequestConfig): Promise<AxiosResponse<T>>;
}`,
  ],
  '@nestjs/common': [
    'export const Injectable = () => () => undefined;\nexport const Module = Injectable;',
    `export function Injectable(): ClassDecorator;
export function Module(options: { imports?: unknown[]; exports?: unknown[] }): ClassDecorator;
export interface OnModuleInit { onModuleInit(): void }`,
  ],
  rxjs: [
    'export const firstValueFrom = (value) => value;',
    'export function firstValueFrom<T>(value: Promise<T>): Promise<T>;',
  ],
};

function writeStubs(packages: string): void {
  for (const [name, [program, types]] of Object.entries(STUBS)) {
    mkdirSync(join(packages, name), { recursive: true });
    writeFileSync(join(packages, name, 'index.mjs'), program);
    writeFileSync(join(packages, name, 'index.d.mts'), types);
    writeFileSync(join(packages, name, 'package.json'), '{ "main": "index.mjs", "types": "index.d.mts" }');
  }
}

const DECORATED = { compilerOptions: { experimentalDecorators: true } };

/** Types are taken away before, since Node does not know decorators. */
async function textToRun({ path, text }: Program): Promise<string> {
  if (!path.endsWith('.ts')) return text;
  return (await transform(text, { loader: 'ts', tsconfigRaw: DECORATED })).code;
}

async function playAll(files: readonly Program[]): Promise<Plays> {
  const home = mkdtempSync(join(import.meta.dirname, '../.moved-'));
  try {
    makeFolders(home);
    const main = files.at(-1) as Program;
    const folder = join(home, main.path.endsWith('.cjs') ? 'cjs' : 'esm');
    writeStubs(join(folder, 'node_modules'));
    for (const file of files) writeFileSync(join(folder, file.path), await textToRun(file));
    return await play(home, '', main.path, await textToRun(main));
  } finally {
    rmSync(home, { recursive: true });
  }
}

function migrated({ files }: Row): Program[] {
  return migrateAll(files).map((result, at) => {
    if (result instanceof Error) throw result;
    return { path: files[at]?.path ?? '', text: result.text };
  });
}

const rows = ROWS.map((row) => [`${row.library}: ${row.name}`, row] as const);

describe('a program of several files does what it did', () => {
  test.concurrent.each(rows)('%s', async (_, row) => {
    const original = await playAll(row.files);
    const moved = await playAll(migrated(row));
    const differing = Object.entries(SCRIPTS).flatMap(([script, steps]) => {
      const mayWaitLonger = steps.some(({ headers }) => headers !== undefined);
      const found = difference(original[script], moved[script], mayWaitLonger);
      return found === undefined ? [] : [`${script}: ${found}`];
    });
    expect(differing).toEqual([]);
    if (row.expected !== 'stays')
      expect(Object.values(original).some(({ sent }) => sent.length > 1)).toBe(true);
  });
});

/** What the compiler says of programs, each in a folder. */
async function compiled(programs: readonly (readonly Program[])[]): Promise<string> {
  const home = mkdtempSync(join(import.meta.dirname, '../moved-types-'));
  try {
    writeStubs(join(home, 'node_modules'));
    const config = {
      extends: '../../tsconfig.base.json',
      compilerOptions: {
        ...{ noEmit: true, composite: false, emitDeclarationOnly: false, isolatedDeclarations: false },
        ...{ types: ['node'], experimentalDecorators: true, erasableSyntaxOnly: false },
        ...{ noPropertyAccessFromIndexSignature: false, exactOptionalPropertyTypes: false },
        ...{ noUnusedParameters: false },
      },
      include: ['**/*.ts'],
    };
    writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config));
    for (const [at, files] of programs.entries()) {
      mkdirSync(join(home, String(at)));
      for (const { path, text } of files) writeFileSync(join(home, String(at), basename(path)), text);
    }
    const compiler = 'node_modules/typescript/bin/tsc';
    const compiling = promisify(execFile)(process.execPath, [compiler, '-p', home]);
    return (await compiling.catch(({ stdout }) => ({ stdout }))).stdout;
  } finally {
    rmSync(home, { recursive: true });
  }
}

describe('programs in TypeScript compile', () => {
  const typed = ROWS.filter(({ files }) => files.at(-1)?.path.endsWith('.ts'));

  test('before', async () => {
    expect(typed.length).toBeGreaterThan(15);
    expect(await compiled(typed.map(({ files }) => files))).toBe('');
  });

  test('after', async () => {
    expect(await compiled(typed.map(migrated))).toBe('');
  });
});
