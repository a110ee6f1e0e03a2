import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const COMMAND = [
  process.execPath,
  '--conditions=@ebb/source',
  new URL('../cli.ts', import.meta.url).pathname,
];
const folder = mkdtempSync(join(tmpdir(), 'ebb-sim-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A scenario of years that reports when it has begun. */
const endless = join(folder, 'endless.mjs');
writeFileSync(
  endless,
  `import { writeSync } from 'node:fs';
  let begun = false;
  export default {
    durationMs: 1e11,
    intervalMs: 1e8,
    clients: { count: 10, requestsPerSecond: 1_000 },
    server: { workers: 1, serviceMs: 20, maxQueue: 10 },
    policy: {
      backoff() {
        if (!begun) writeSync(2, 'begun\\n');
        begun = true;
        return 10;
      },
    },
  };`,
);

function start(...args: string[]) {
  const [command = '', ...before] = COMMAND;
  return watched(spawn(command, [...before, ...args]));
}

function watched(child: ChildProcess) {
  const written = { out: '', err: '' };
  child.stdout?.on('data', (text) => (written.out += text));
  child.stderr?.on('data', (text) => (written.err += text));
  return {
    child,
    written,
    ended: once(child, 'close') as Promise<[code: number | null, signal: string | null]>,
  };
}

describe('Ctrl-C', () => {
  test('ends a run at once, with exit code 130 and no message', async () => {
    const { child, written, ended } = start(endless);
    await expect.poll(() => written.err).toBe('begun\n');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(written).toEqual({ out: '', err: 'begun\n' });
  });

  const script = '/usr/bin/script';
  test.skipIf(process.platform !== 'linux' || !existsSync(script))(
    'clears the progress bar on a terminal',
    async () => {
      const line = [...COMMAND, endless].map((part) => `'${part}'`).join(' ');
      const { child, written, ended } = watched(spawn(script, ['-qec', line, '/dev/null']));
      await expect.poll(() => written.out).toContain('░');
      child.stdin?.write('\x03');
      expect(await ended).toEqual([130, null]);
      const lines = written.out.replace('^C', '').replaceAll('\r\x1b[K', '\n');
      expect(lines).toMatch(/% endless\.mjs\n+$/);
    },
  );
});

describe('a reader that closes the pipe', () => {
  test('of the standard output is no error', async () => {
    const { child, written, ended } = start('aws', '--clients', '2,3', '--json', '-');
    child.stdout?.destroy();
    expect(await ended).toEqual([0, null]);
    expect(written.err).toBe('');
  });

  test('of both outputs does not keep files from being written', async () => {
    const path = join(folder, 'race.csv');
    const { child, ended } = start('aws', '--clients', '2', '--csv', path);
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await ended).toEqual([0, null]);
    expect(existsSync(path)).toBe(true);
  });
});

test.skipIf(!existsSync('/dev/full'))('a full standard output is an error of one line', async () => {
  const line = `${COMMAND.map((part) => `'${part}'`).join(' ')} app-engine > /dev/full`;
  const { written, ended } = watched(spawn('sh', ['-c', line]));
  expect(await ended).toEqual([1, null]);
  expect(written.err).toMatch(/^ebb-sim: the standard output: ENOSPC.*\n$/);
});
