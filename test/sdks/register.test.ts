import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { upstream } from '../server.ts';

// Inside test/sdks, so that the SDK resolves, and below test, so that the packages do.
const folder = mkdtempSync(join(import.meta.dirname, '.register-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CONFIG = `
import { constant } from '@ebb/core';
export default { backoff: constant(1) };`;

const PROGRAM = `
import OpenAI from 'openai';
const client = new OpenAI({ apiKey: 'a', baseURL: process.env.UPSTREAM_URL, maxRetries: 0 });
const { response } = await client.models.list().withResponse();
console.log(response.status);`;

test('an SDK retries over the global dispatcher, without changed code', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'ebb.config.js'), CONFIG);
  writeFileSync(join(folder, 'program.js'), PROGRAM);
  const body = '{"data":[]}';
  const json = { 'content-type': 'application/json' };
  const server = await upstream([{ status: 503 }, { status: 200, headers: json, body }]);
  try {
    const args = ['--conditions=@ebb/source', '--import', '@ebb/undici/register', 'program.js'];
    const env = { ...process.env, NODE_OPTIONS: '', UPSTREAM_URL: server.url };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
    expect(stdout).toBe('200\n');
    expect(server.seen).toHaveLength(2);
  } finally {
    await server.close();
  }
});
