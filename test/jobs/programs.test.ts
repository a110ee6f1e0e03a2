import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { program } from '../../examples/fleet/store.ts';

const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;

/** Runs an example, and returns what it prints. */
function run(file: string, args: readonly string[] = [], path = PATH): Promise<string> {
  const options = { env: { PATH: path, HOME, NODE_COMPILE_CACHE }, timeout: 50_000 };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--conditions=@ebb/source', file, ...args],
      options,
      (error, stdout, stderr) => {
        if (error === null && stderr === '') resolve(stdout);
        else reject(error ?? new Error(stderr));
      },
    );
  });
}

/** What the first comment of an example promises. */
function promisedBy(file: string): string {
  const lines = readFileSync(file, 'utf8').matchAll(/^\/\/ {3}(.+\n)/gm);
  return [...lines].map(([, line]) => line).join('');
}

describe('the worker pool', () => {
  const file = 'examples/worker-pool/main.ts';
  const without = 'neither valkey-server nor redis-server is installed';

  test.skipIf(program === undefined)(
    program === undefined ? `SKIPPED: ${without}` : 'keeps to one quota, and prints what it promises',
    async () => {
      expect(promisedBy(file)).not.toBe('');
      expect(await run(file)).toBe(promisedBy(file));
    },
  );

  test('says what to install if there is no server', async () => {
    expect(await run(file, [], '/nowhere')).toContain('apt-get install redis-server');
  });
});

describe('at a SIGTERM from outside', () => {
  const file = 'examples/shutdown.ts';

  test('the program ends what waits, lets the request in flight end, and exits with 0', async () => {
    const child = spawn(process.execPath, ['--conditions=@ebb/source', file, 'wait'], {
      env: { PATH, HOME, NODE_COMPILE_CACHE },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output === 'ready\n') child.kill('SIGTERM');
    });
    expect(await ended).toEqual([0, null]);
    expect(output).toBe(promisedBy(file));
  });
});

test('the number of calls and their rate can be chosen', async () => {
  const output = await run('examples/cli-progress-bar.ts', ['30', '100']);
  expect(output).toBe(
    '30 calls, 30 succeeded\nat each moment the server had seen at most 20 + 100 per second: true\n',
  );
});
