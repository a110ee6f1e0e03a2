import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { program } from '../packages/valkey/test/server.ts';

/** For hangs only. Beside thirty busy processes the example, which starts ten, takes more than a minute. */
const timeout = 240_000;

function run(
  args: readonly string[],
  path = process.env.PATH ?? '',
): Promise<{ code: number; output: string }> {
  const { HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const options = { env: { PATH: path, HOME, NODE_COMPILE_CACHE }, timeout };
  return new Promise((resolve) => {
    const everything = ['--conditions=@ebb/source', 'examples/fleet/main.ts', ...args];
    execFile(process.execPath, everything, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` });
    });
  });
}

test.runIf(program !== undefined)(
  'the fleet keeps to its quota before, during and after an outage of the store',
  { timeout },
  async () => {
    const { code, output } = await run(['1']);
    expect(output.split('\n').filter((line) => line.length > 80)).toEqual([]);
    // Without a terminal there are no control sequences.
    expect(output).not.toContain('\x1b');
    const table = [
      ...output.slice(output.indexOf('What the upstream saw')).matchAll(/^ {3}(\w.+?) +(\d+) +(\d+)$/gm),
    ];
    expect(table.map(([, title]) => title)).toEqual([
      'Each has its own bucket',
      'One bucket for all, on Valkey',
      'The store is killed',
      'The store restarts, without its data',
    ]);
    const [own, ...together] = table.map(([, , perSecond, refused]) => ({
      perSecond: Number(perSecond),
      refused: Number(refused),
    }));
    // On a busy machine the fleet with a bucket for each process may also stay below the quota.
    expect(own?.refused).toBeGreaterThanOrEqual(Math.max(...together.map(({ refused }) => refused)));
    for (const { perSecond, refused } of together) {
      expect(perSecond).toBeLessThanOrEqual(400 + 40 + 20);
      expect(refused).toBeLessThan(20);
    }
    expect(code).toBe(0);
  },
);

test('without a server program, the fleet says what to install', { timeout }, async () => {
  const { code, output } = await run([], '/nowhere');
  expect(output).toContain('needs valkey-server or redis-server');
  expect(output).toContain('apt-get install redis-server');
  expect(code).toBe(0);
});
