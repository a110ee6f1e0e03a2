import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ebbSim } from './run.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'ebb-sim-'));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => runOn(false, ...args);

async function runOn(isTTY: boolean, ...args: string[]) {
  const written = { out: '', err: '' };
  const terminal = {
    stdout: { isTTY, write: (text: string) => (written.out += text) },
    stderr: {
      isTTY: false as never,
      write(text: string) {
        written.err += text;
        return true;
      },
    },
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
  test('--version prints the version of the package', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test('--help lists every option with its unit and its default', async () => {
    const { out } = await run('--help');
    for (const option of [
      '--seed <n>',
      '--svg <file>',
      '--csv <file>',
      '--json <file>',
      '--version',
      '--help',
    ])
      expect(out).toContain(`  ${option}`);
    expect(out).toMatch(/--base <ms> .*5\n/);
    expect(out).toMatch(/--cap <ms> .*2000\n/);
    expect(out).toMatch(/--clients <n,n,...> .*10,20,...,190\n/);
    expect(out).toMatch(/--network <ms,ms> [\s\S]*10,2\n/);
  });

  test('the documented defaults of aws are its defaults', async () => {
    const clients = Array.from({ length: 19 }, (_, at) => 10 * (at + 1)).join(',');
    const given = ['--base', '5', '--cap', '2000', '--clients', clients, '--network', '10,2'];
    expect((await run('aws', ...given, '--csv', '-')).out).toBe((await run('aws', '--csv', '-')).out);
  });

  test('each option of aws changes the race', async () => {
    const few = ['aws', '--clients', '40,20,40', '--csv', '-'];
    const { out } = await run(...few);
    expect(out.split('\n').map((line) => line.split(',')[0])).toEqual([
      'clients',
      ...Array.from({ length: 5 }, () => ['20', '40']).flat(),
      '',
    ]);
    for (const other of [
      ['--base', '50'],
      ['--cap', '20'],
      ['--network', '20'],
      ['--network', '10,5'],
    ])
      expect((await run(...few, ...other)).out, other.join(' ')).not.toBe(out);
    expect((await run(...few, '--network', '10,0')).out).toBe((await run(...few, '--network', '10')).out);
  });

  test('the scenario of the help is valid', async () => {
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

  test('runs a scenario file, with the same result for the same seed', async () => {
    const path = file('mine.json', JSON.stringify(scenario));
    const first = await run(path, '--seed', '7');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/^policy .*\n.*\none .*\ntwo /);
    expect(await run(path, '--seed', '7')).toEqual(first);
    expect((await run(path, '--seed', '8')).out).not.toBe(first.out);
  });

  test('a scenario may be a TypeScript file that imports core', async () => {
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

  test('writes figures, numbers and all data to files, and names them', async () => {
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

  test.each(['', '/'])('in a folder each figure has its own name: folder%s', async (end) => {
    const home = join(folder, `figures${end.length}`);
    mkdirSync(home);
    const names = ['backoff-calls.svg', 'backoff-time.svg', 'backoff-exponential.svg'];
    const { err } = await run('aws', '--clients', '2,3', '--svg', home + end);
    expect(err).toBe(names.map((name) => `wrote ${join(home, name)}\n`).join(''));
    expect(readdirSync(home).toSorted()).toEqual(names.toSorted());
    const one = await run(file('one.json', JSON.stringify(scenario)), '--svg', home + end);
    expect(one.err).toMatch(/^wrote .*figures\d\/[a-z-]+\.svg\n$/);
  });

  test('the file - is the standard output, without the table', async () => {
    const path = file('mine.json', JSON.stringify(scenario));
    expect((await run(path, '--csv', '-')).out).toMatch(/^policy,seconds/);
    expect((await run(path, '--svg', '-')).out).toMatch(/^<svg/);
    expect(JSON.parse((await run(path, '--json', '-')).out)).toHaveLength(2);
  });
});

describe('output files are checked before the run', () => {
  // A run of this would never end.
  const endless = {
    ...scenario,
    durationMs: 1e12,
    intervalMs: 1e9,
    clients: { count: 10, requestsPerSecond: 1e6 },
  };
  const path = file('endless.json', JSON.stringify(endless));
  mkdirSync(join(folder, 'directory'));
  symlinkSync(path, join(folder, 'link.json'));

  test.each([
    [['--csv', join(folder, 'directory')], 1, /--csv: .*directory is a directory/],
    [['--json', `${folder}/new/`], 1, /--json: .*new\/ is a directory/],
    [['--svg', join(folder, 'no', 'a.svg')], 1, /--svg: there is no directory .*no/],
    [['--json', join(path, 'a.json')], 1, /--json: .*endless\.json is not a directory/],
    [['--csv', `${folder}/${'a'.repeat(300)}`], 1, /--csv: .* cannot be written: ENAMETOOLONG/],
    [['--json', path], 2, /--json: .*endless\.json is the file of the scenario/],
    [['--json', join(folder, 'link.json')], 2, /--json: .*link\.json is the file of the scenario/],
    [['--csv', join(folder, 'a'), '--json', `${folder}/./a`], 2, /--json: .*a is the file of --csv/],
    [
      ['--csv', '-', '--json', '-'],
      2,
      /--csv and --json both write to the standard output; give one of them a file/,
    ],
    [['--csv', '/dev/stdout', '--svg', '-'], 2, /--svg and --csv both write to the standard output/],
    [['--csv', ''], 2, /--csv must be a file, got an empty name/],
  ])('%j', async (args, expected, message) => {
    const { code, err, out } = await run(path, ...args);
    expect(err).toMatch(message);
    expect(code).toBe(expected);
    expect(out).toBe('');
  });

  test.skipIf(process.getuid?.() === 0)('a file without write permission', async () => {
    const locked = file('locked.csv', '');
    chmodSync(locked, 0o400);
    expect((await run(path, '--csv', locked)).err).toMatch(/--csv: .*locked\.csv cannot be written: EACCES/);
  });

  test('several outputs may go to one device', async () => {
    const mine = file('mine.json', JSON.stringify(scenario));
    expect(await run(mine, '--csv', '/dev/null', '--json', '/dev/null')).toMatchObject({ code: 0 });
  });
});

describe('an error is one line', () => {
  test('with the path of the wrong field and the file', async () => {
    const { policies: _, ...rest } = scenario;
    const path = file('storm.json', JSON.stringify({ ...rest, policy: { maxRetries: -1 } }));
    expect(await run(path)).toEqual({
      code: 1,
      out: '',
      err: 'ebb-sim: policy.maxRetries must be a whole number ≥ 0, got -1 (in storm.json)\n',
    });
  });

  test.each([
    ['broken.json', '{', /^ebb-sim: the file is not valid JSON: .* \(in broken\.json\)\n$/],
    [
      'empty.mjs',
      '',
      /^ebb-sim: the module must export the scenario as its default export \(in empty\.mjs\)\n$/,
    ],
    ['throws.mjs', 'throw new Error("no");', /^ebb-sim: no \(in throws\.mjs\)\n$/],
  ])('%s', async (name, text, message) => {
    const { code, err } = await run(file(name, text));
    expect(code).toBe(1);
    expect(err).toMatch(message);
  });

  test('a file that does not exist', async () => {
    expect(await run('./nowhere.json')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/ENOENT.*nowhere\.json/),
    });
  });

  test.each([
    [['strom'], /there is no study strom; there are aws, /],
    [['aws', 'storm'], /expected one study or file, got aws and storm/],
    [['aws', '--seed', '-1'], /--seed/],
    [['aws', '--seed', 'x'], /--seed must be a whole number of up to nine digits, got x/],
    [['aws', '--base', '0'], /--base must be a number of milliseconds > 0, got 0/],
    [['aws', '--base', '5ms'], /--base must be a number of milliseconds > 0, got 5ms/],
    [['aws', '--cap=-1'], /--cap must be a number of milliseconds > 0, got -1/],
    [['aws', '--cap', '1,2'], /--cap must be a number of milliseconds > 0, got 1,2/],
    [['aws', '--clients', '10,x'], /--clients must be whole numbers ≥ 1, with commas between them, got 10,x/],
    [['aws', '--clients', '0'], /--clients must be whole numbers ≥ 1, with commas between them, got 0/],
    [['aws', '--clients', ''], /--clients must be whole numbers ≥ 1, with commas between them, got $/m],
    [['aws', '--network', '10,-2'], /--network must be a mean in milliseconds > 0, .* got 10,-2/],
    [['aws', '--network', '1,2,3'], /--network must be a mean in milliseconds > 0, .* got 1,2,3/],
    [['storm', '--base', '5'], /--base is an option of aws, not of storm/],
    [['--network', '5'], /--network is an option of aws, not of ebb-sim/],
    [['aws', '--sed', '1'], /--sed/],
    [
      ['aws', '--svg', '-'],
      /--svg - takes one figure, and this study has several: backoff-calls, backoff-time, backoff-exponential/,
    ],
  ])('%j', async (args, message) => {
    const { code, err, out } = await run(...args);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).toContain('ebb-sim --help');
    expect(out).toBe('');
  });
});

describe('names of a stranger', () => {
  const NAME = '\u001b[31mred\u001b]0;title\u0007\n\u009b2J\u202e';
  const SHOWN = '\\u001b[31mred\\u001b]0;title\\u0007\\u000a\\u009b2J\\u202e';
  const OBEYED = /(?![\n])[\p{Cc}\p{Bidi_C}]/u;

  test('a terminal does not obey them', async () => {
    const path = file(
      'stranger.json',
      JSON.stringify({ ...scenario, title: NAME, policies: { [NAME]: {}, two: {} } }),
    );
    const { out, err } = await run(path);
    const [head = '', , first = '', second = ''] = out.split('\n');
    expect({ err, name: first.split('  ')[0] }).toEqual({ err: '', name: SHOWN });
    // Columns stay below each other.
    expect([first.indexOf('1.'), second.length]).toEqual([head.indexOf('sends') + 1, first.length]);
    for (const option of ['--csv', '--json', '--svg'])
      expect((await runOn(true, path, option, '-')).out, option).not.toMatch(OBEYED);
    expect((await run(path, '--csv', '-')).out).toContain(NAME);
  });

  test.each([
    ['a policy', 'wrong.json', JSON.stringify({ ...scenario, policies: { [NAME]: { [NAME]: 1 } } })],
    ['a file', `${NAME.replace('/', '')}.json`, '{}'],
    ['a value', 'value.json', JSON.stringify({ ...scenario, durationMs: NAME })],
    ['what is no JSON', 'broken.json', NAME],
  ])('an error that quotes %s is one line', async (_, name, text) => {
    const { code, err } = await run(file(name, text));
    expect(code).toBe(1);
    expect(err.trimEnd()).not.toMatch(/[\p{Cc}\p{Bidi_C}]/u);
  });

  test('a study and a file that are not there are one line', async () => {
    for (const args of [[NAME], [`./${NAME}`], ['storm', '--svg', `./${NAME}/a.svg`]]) {
      const { err } = await run(...args);
      expect(err).toContain('\\u001b[31mred');
      expect(err).not.toMatch(OBEYED);
    }
  });

  test('a figure with one is XML', async () => {
    const path = file('figure.json', JSON.stringify({ ...scenario, title: NAME, policies: { [NAME]: {} } }));
    const { out } = await run(path, '--svg', '-');
    expect(out).toContain('\ufffd[31mred');
    expect(out).not.toMatch(/(?![\n])\p{Cc}/u);
  });
});
