import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { program, startServer } from '../test/server.ts';

/** Inside the workspace, so that imports resolve as they do for a user. */
const folder = join(import.meta.dirname, '../../../test');

test.runIf(program !== undefined)(
  'the programs of the README run with a store',
  { timeout: 60_000 },
  async () => {
    const page = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const programs = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    expect(programs.length).toBeGreaterThan(1);
    await using server = await startServer();
    const upstream = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const UPSTREAM_URL = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const place = mkdtempSync(join(folder, '.valkey-readme-'));
    try {
      const outputs = await Promise.all(
        programs.map(async (code, index) => {
          const file = join(place, `${index}.ts`);
          writeFileSync(file, code);
          const env = { ...process.env, UPSTREAM_URL, VALKEY_URL: server.url, NODE_OPTIONS: '' };
          const ran = await promisify(execFile)(process.execPath, ['--conditions=@ebb/source', file], {
            env,
          });
          return ran.stdout;
        }),
      );
      expect(outputs[0]).toBe('200 { ok: true }\n');
      expect(outputs[1]).toMatch(/outputTokens: \{\s+refillPerSecond: 133/);
      expect(await server.command('EXISTS ebb:{api.example.com}')).toBe(':1');
    } finally {
      rmSync(place, { recursive: true });
      upstream.closeAllConnections();
      upstream.close();
    }
  },
);
