import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serveWith } from '../../test/serve-with.ts';

/** Runs a program that sends five requests over two slots and does not read the responses. Resolves with its output. */
async function run(url: string): Promise<string> {
  const fetchPackage = new URL('../index.ts', import.meta.url).href;
  const program = `
    import { concurrencyLimit } from '@ebb/core';
    const { createFetch } = await import(${JSON.stringify(fetchPackage)});
    const fetch = createFetch({ concurrency: concurrencyLimit({ maxConcurrent: 2 }) });
    for (let n = 1; n <= 5; n += 1) console.log(n, (await fetch(${JSON.stringify(url)})).status);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@ebb/source', '--no-warnings', '--input-type=module', '--eval', program],
    { cwd: import.meta.dirname },
  );
  return stdout;
}

test('a request that waits for the slot of an unread response keeps the process alive', async () => {
  const { url } = await serveWith((_, response) => response.end('unread'));
  expect(await run(url)).toBe('1 200\n2 200\n3 200\n4 200\n5 200\n');
}, 30_000);
