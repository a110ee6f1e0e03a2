import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { STUDIES } from '../studies.ts';
import { ebbSim } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'ebb-sim-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: string[]) {
  const written = { out: '', err: '' };
  const terminal = {
    stdout: { write: (text: string) => (written.out += text) },
    stderr: { isTTY: false, write: (text: string) => (written.err += text) } as unknown as NodeJS.WriteStream,
  };
  const code = await ebbSim(args, terminal);
  return { code, ...written };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const scenario = {
  durationMs: 5_000,
  clients: { count: 10, requestsPerSecond: 20 },
  server: { workers: 1, serviceMs: 20 },
  policies: { one: {}, two: { maxRetries: 0 } },
};

describe('ebb-sim', () => {
  test.each([[[]], [['--help']], [['-h', 'aws']]])('%j teaches, within 80 columns', async (args) => {
    const { code, out } = await run(...args);
    expect(code).toBe(0);
    for (const { name } of STUDIES) expect(out).toContain(`  ${name} `);
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  test('the scenario of the help is a right one', async () => {
    const { out } = await run('--help');
    const example = out.slice(out.indexOf('  {'), out.indexOf('\n  }') + 4);
    const { code, err } = await run(file('example.json', example));
    expect(err).toBe('');
    expect(code).toBe(0);
  });

  test.each(['app-engine', 'api-gateway', 'treatments', 'quota'])(
    '%s prints a table of 80 columns',
    async (name) => {
      const { code, out } = await run(name);
      expect(code).toBe(0);
      for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    },
  );

  test('a scenario of one’s own is run, the same for the same seed', async () => {
    const path = file('mine.json', JSON.stringify(scenario));
    const first = await run(path, '--seed', '7');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/^policy .*\n.*\none .*\ntwo /);
    expect(await run(path, '--seed', '7')).toEqual(first);
    expect((await run(path, '--seed', '8')).out).not.toBe(first.out);
  });

  test('a scenario may be a TypeScript file that uses core', async () => {
    const text = `import { fullJitter } from '@ebb/core';
      const options: { baseMs: number; capMs: number } = { baseMs: 10, capMs: 100 };
      export default { ...${JSON.stringify({ ...scenario, policies: undefined })}, policy: { backoff: fullJitter(options) } };`;
    const path = join(import.meta.dirname, 'scenario-of-a-test.ts');
    writeFileSync(path, text);
    try {
      const { code, out, err } = await run(path);
      expect(err).toBe('');
      expect(code).toBe(0);
      expect(out).toMatch(/^policy /m);
    } finally {
      rmSync(path);
    }
  });

  test('writes figures, numbers and everything to files, and says so', async () => {
    const path = file('mine.json', JSON.stringify(scenario));
    const [svg, csv, json] = ['a.svg', 'a.csv', 'a.json'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const { err, out } = await run(path, '--svg', svg, '--csv', csv, '--json', json);
    expect(err).toBe([svg, csv, json].map((name) => `wrote ${name}\n`).join(''));
    expect(out).toMatch(/^policy /);
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    const lines = readFileSync(csv, 'utf8').trim().split('\n');
    expect(lines[0]).toMatch(/^policy,seconds,requests,sends,/);
    expect(lines).toHaveLength(1 + 2 * 5);
    const data = JSON.parse(readFileSync(json, 'utf8')) as {
      policy: string;
      series: { requests: number[] };
    }[];
    expect(data.map(({ policy }) => policy)).toEqual(['one', 'two']);
    expect(data[0]?.series.requests).toHaveLength(5);
  });

  test('a study with several figures writes one file for each', async () => {
    await run('aws', '--svg', join(folder, 'race.svg'));
    for (const name of ['race-backoff-calls.svg', 'race-backoff-time.svg']) {
      expect(existsSync(join(folder, name)), name).toBe(true);
    }
  });

  test('a file named - is the standard output, in the place of the table', async () => {
    const path = file('mine.json', JSON.stringify(scenario));
    expect((await run(path, '--csv', '-')).out).toMatch(/^policy,seconds/);
    expect((await run(path, '--svg', '-')).out).toMatch(/^<svg/);
    expect(JSON.parse((await run(path, '--json', '-')).out)).toHaveLength(2);
  });
});

describe('what is wrong is told in one line', () => {
  test('the path of a wrong field, and the file', async () => {
    const { policies: _, ...rest } = scenario;
    const path = file('storm.json', JSON.stringify({ ...rest, policy: { maxRetries: -1 } }));
    expect(await run(path)).toEqual({
      code: 1,
      out: '',
      err: 'ebb-sim: policy.maxRetries takes a whole number from 0, and was given -1 (in storm.json)\n',
    });
  });

  test.each([
    ['broken.json', '{', /^ebb-sim: this is no JSON: .* \(in broken\.json\)\n$/],
    ['empty.mjs', '', /^ebb-sim: there is no default export to be the scenario \(in empty\.mjs\)\n$/],
    ['throws.mjs', 'throw new Error("no");', /^ebb-sim: no \(in throws\.mjs\)\n$/],
  ])('%s', async (name, text, message) => {
    const { code, err } = await run(file(name, text));
    expect(code).toBe(1);
    expect(err).toMatch(message);
  });

  test('a file that is not there, or cannot be written', async () => {
    expect(await run('./nowhere.json')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ENOENT.*nowhere\.json/),
    });
    const path = file('mine.json', JSON.stringify(scenario));
    const { code, err } = await run(path, '--csv', join(folder, 'no', 'such', 'folder.csv'));
    expect(code).toBe(1);
    expect(err).toMatch(/^ebb-sim: ENOENT/);
  });

  test.each([
    [['strom'], /there is no study strom; there are aws, /],
    [['aws', 'storm'], /one study at a time: aws, or storm\?/],
    [['aws', '--seed', '-1'], /--seed/],
    [['aws', '--seed', 'x'], /--seed takes a whole number of up to nine digits, and was given x/],
    [['aws', '--sed', '1'], /--sed/],
    [['aws', '--svg', '-'], /--svg - is for one figure, and here are several: backoff-calls, backoff-time/],
  ])('%j', async (args, message) => {
    const { code, err, out } = await run(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).toContain('ebb-sim --help');
    expect(out).toBe('');
  });
});
