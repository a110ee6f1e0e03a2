import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Sent } from './upstream.ts';

interface Played {
  readonly result: unknown;
  readonly sent: readonly Sent[];
  readonly logged: readonly string[];
}

export type Plays = Readonly<Record<string, Played>>;

/** Two folders in which programs find what they import: CommonJS ones older versions, which can be required. */
export function makeFolders(home: string): void {
  for (const [kind, pRetry] of [
    ['esm', 'p-retry'],
    ['cjs', 'p-retry4'],
  ] as const) {
    const packages = join(home, kind, 'node_modules');
    mkdirSync(join(packages, 'node-fetch'), { recursive: true });
    symlinkSync(join(import.meta.dirname, '../../node_modules', pRetry), join(packages, 'p-retry'));
    writeFileSync(
      join(packages, 'node-fetch/index.js'),
      'module.exports = (...args) => globalThis.fetch(...args);\n',
    );
    mkdirSync(join(packages, 'p-limit'));
    writeFileSync(join(packages, 'p-limit/index.mjs'), 'export default () => (call) => call();\n');
    writeFileSync(join(packages, 'p-limit/package.json'), '{ "main": "index.mjs" }');
    cpSync(join(packages, 'node-fetch'), join(packages, 'isomorphic-fetch'), { recursive: true });
  }
}

/** Plays all scripts to a program in a process of its own. */
export async function play(home: string, name: string, file: string, text: string): Promise<Plays> {
  const path = join(home, extname(file) === '.cjs' ? 'cjs' : 'esm', file.replace(/\.ts$/, '.mts'));
  writeFileSync(path, text);
  const args = [
    '--conditions=@ebb/source',
    '--no-warnings',
    join(import.meta.dirname, 'process.ts'),
    name,
    path,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: 50_000,
  });
  return JSON.parse(stdout) as Plays;
}

const ROUNDING_MS = 1;
/** ebb waits up to a fifth longer than a server asks for, and at most a second. */
const JITTER_SHARE = 0.2;

function gapsOf(sent: readonly Sent[]): number[] {
  return sent.map(({ atMs }, at) => atMs - (sent[at - 1]?.atMs ?? 0));
}

/** How what a program sends, ends with and logs differs from the original; `undefined` if it does not. */
export function difference(
  original: Played | undefined,
  moved: Played | undefined,
  mayWaitLonger: boolean,
): string | undefined {
  if (original === undefined || moved === undefined) return 'was not played';
  const bare = ({ sent }: Played): string => JSON.stringify(sent.map(({ atMs, ...one }) => one));
  if (bare(original) !== bare(moved)) return `sends ${bare(moved)}, not ${bare(original)}`;
  const [before, after] = [gapsOf(original.sent), gapsOf(moved.sent)];
  const isLater = before.some((gap, at) => {
    const longer = mayWaitLonger ? gap * JITTER_SHARE : 0;
    const over = (after[at] ?? 0) - gap;
    return over < -ROUNDING_MS || over > longer + ROUNDING_MS;
  });
  if (isLater) return `sends after ${after} ms, not ${before}`;
  const [was, is] = [JSON.stringify(original.result), JSON.stringify(moved.result)];
  if (was !== is) return `ends with ${is}, not ${was}`;
  const [told, tells] = [original.logged.join('\n'), moved.logged.join('\n')];
  return told === tells ? undefined : `logs ${tells}, not ${told}`;
}
