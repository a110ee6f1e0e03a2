import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { suite } from '@ebb/testing';
import { describe, expect, test } from 'vitest';
import { acts, type Played } from '../examples/demo/acts.ts';
import { follow, newLane } from '../examples/demo/lanes.ts';
import { pictureOf } from '../examples/demo/picture.ts';
import { brokenPromise } from '../examples/demo/promises.ts';
import { adapter } from '../examples/node-http/adapter.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with its output in a pipe; an escape character in it is made visible, as ␛. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  return new Promise((resolve) => {
    const options = { env: { PATH, HOME, NODE_COMPILE_CACHE, ...env }, timeout: 80_000 };
    const flags = ['--conditions=@ebb/source', '--disable-warning=ExperimentalWarning'];
    execFile(process.execPath, [...flags, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, stdout: stdout.replaceAll('\x1b', '␛'), stderr });
    });
  });
}

const slow = { timeout: 90_000 };
const DEMO = 'examples/demo/main.ts';

describe('each example prints what its first comment promises', () => {
  const files = globSync('examples/*.ts').sort();
  /** Jobs with several steps. */
  const longer = new Set(
    [
      ...['anthropic-tenants', 'cli-progress-bar', 'idempotency-keys', 'retry-a-transaction', 'shutdown'],
      'stale-connections',
    ].map((name) => `examples/${name}.ts`),
  );

  test.concurrent.each(files)('%s', slow, async (file) => {
    const source = readFileSync(file, 'utf8');
    const comment = /^(\/\/.*\n)+/.exec(source)?.[0] ?? '';
    const promised = comment.split('\n').filter((line) => line.startsWith('//   '));
    expect(promised).not.toEqual([]);
    const { code, stdout, stderr } = await run([file]);
    expect({ stdout, stderr, code }).toEqual({
      stdout: promised.map((line) => `${line.slice(5)}\n`).join(''),
      stderr: '',
      code: 0,
    });
  });

  test.each(files)('%s is short and imports only what a user can', (file) => {
    const source = readFileSync(file, 'utf8');
    expect(source.split('\n').length).toBeLessThanOrEqual(longer.has(file) ? 70 : 40);
    const imported = [...source.matchAll(/from '(.+)'/g)].map(([, name]) => name);
    for (const name of imported)
      expect(name).toMatch(/^(node:.+|@ebb\/[\w/-]+|axios|undici|openai|pino|cli-progress|msw(\/node)?)$/);
  });

  test('there are examples', () => {
    expect(files.length).toBeGreaterThan(5);
  });
});

describe('the picture of the demo', () => {
  const first = acts[0] ?? expect.fail('the demo has no act');
  const drawn = readFileSync('examples/demo/timeline.svg', 'utf8');
  const count = (pattern: RegExp, svg: string): number => [...svg.matchAll(pattern)].length;

  test('has a lane for each request of each client, and each ends well', () => {
    expect(count(/<text x="4"/g, drawn)).toBe(3 * first.asks.length);
    expect(count(/class="good"/g, drawn)).toBe(3 * first.asks.length);
    expect(count(/class="bad"/g, drawn)).toBeGreaterThan(3 * first.asks.length);
  });

  test('draws what happened, when it happened, and stands still where less motion is preferred', () => {
    const lane = newLane('fetch', 'GET', 0);
    const request = { method: 'GET', url: 'http://a.test/' } as never;
    const outcome = { type: 'response', status: 503 } as never;
    follow(lane, { type: 'attempt', attempt: 1, atMs: 0, request } as never);
    follow(lane, { type: 'retry', attempt: 1, atMs: 100, delayMs: 200, outcome, request } as never);
    follow(lane, { type: 'attempt', attempt: 2, atMs: 300, request } as never);
    const good = { type: 'response', status: 200 } as never;
    follow(lane, { type: 'end', attempt: 2, atMs: 400, outcome: good, reason: 'success', request } as never);
    const svg = pictureOf([lane], 0, 'a title');
    expect(svg).toContain('<title id="title">a title</title>');
    expect(svg).toContain('prefers-reduced-motion');
    const timings = [...svg.matchAll(/class="bar (\w+)".*delay:([\d.]+)s;animation-duration:([\d.]+)s/g)];
    expect(timings.map(([, ...found]) => found)).toEqual([
      ['sent', '0', '0.1'],
      ['backoff', '0.1', '0.2'],
      ['sent', '0.3', '0.1'],
    ]);
    expect(count(/class="bad"/g, svg)).toBe(1);
    expect(count(/class="good"/g, svg)).toBe(1);
  });
});

describe('the adapter for node:http', () => {
  test('is short', () => {
    const source = readFileSync('examples/node-http/request.ts', 'utf8');
    expect(source.slice(source.indexOf('async function attempt')).split('\n').length).toBeLessThanOrEqual(60);
  });

  test('says how many rows of the suite it passes, and why it skips others', slow, async () => {
    const file = 'examples/node-http/main.ts';
    const promised = readFileSync(file, 'utf8').match(/^\/\/ {3}.+\n/gm) ?? [];
    const stdout = promised.map((line) => line.slice(5)).join('');
    expect(await run([file])).toEqual({ stdout, stderr: '', code: 0 });
  });

  suite({ describe, test }, adapter);
});

/** The rows of the closing table by their first word. */
function tableOf(output: string): Map<string, string[]> {
  const rows = output.slice(output.indexOf('Results')).matchAll(/^ {2}(\w+) +(\d+ {2,}.*)$/gm);
  return new Map([...rows].map(([, name = '', figures = '']) => [name, figures.split(/ {2,}/)]));
}

function expectFacts(output: string): void {
  const table = tableOf(output);
  expect([...table.keys()]).toEqual(['fetch', 'axios', 'undici', 'together']);
  const sums = [0, 0, 0, 0];
  for (const [name, [requests, attempts, retries, waited, answered, bare]] of table) {
    const figures = [requests, attempts, retries, waited].map((figure) => Number.parseFloat(figure ?? ''));
    expect(figures[0]).toBe(name === 'together' ? 27 : 9);
    expect(figures[1]).toBe((figures[0] ?? 0) + (figures[2] ?? 0));
    expect(answered).toBe(name === 'together' ? '24 of 27' : '8 of 9');
    expect(Number.parseInt(bare ?? '', 10)).toBeLessThan(Number.parseInt(answered ?? '', 10));
    if (name === 'together') {
      for (const [index, figure] of figures.entries()) expect(sums[index]).toBeCloseTo(figure, 1);
    } else {
      for (const [index, figure] of figures.entries()) sums[index] = (sums[index] ?? 0) + figure;
    }
  }
}

/** The final screen of a program that uses only these codes: up, erase to the end, colour. */
function screenOf(output: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [part, up] of output.matchAll(/\n|␛\[(\d+)A|␛\[K|␛\[\d+m|[^\n␛]+|␛/g)) {
    const line = lines[row] ?? '';
    if (part === '\n') {
      row += 1;
      lines[row] ??= '';
      column = 0;
    } else if (up !== undefined) {
      row -= Number(up);
    } else if (part === '␛[K') {
      lines[row] = line.slice(0, column);
    } else if (!part.startsWith('␛')) {
      lines[row] = line.slice(0, column) + part + line.slice(column + part.length);
      column += part.length;
    } else {
      expect(part).toMatch(/m$/);
    }
  }
  return lines;
}

/** Makes a program believe that it writes to a terminal. */
const TERMINAL = `data:text/javascript,${encodeURIComponent(`
  import { WriteStream } from 'node:tty';
  const { getColorDepth } = WriteStream.prototype;
  Object.assign(process.stdout, { isTTY: true, columns: 80, rows: 24, getColorDepth });
`)}`;

const LANE = /^ {2}(fetch|axios|undici) (GET|POST).* (200 at \d+\.\d\d s, attempt \d|reset: not-idempotent)$/;

describe.concurrent('the demo', () => {
  test('prints plain lines into a pipe', slow, async () => {
    const { code, stdout, stderr } = await run([DEMO]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('␛');
    const lines = stdout.split('\n');
    for (const line of lines) {
      expect(line.length).toBeLessThan(80);
      expect(line).toBe(line.trimEnd());
    }
    expectFacts(stdout);

    const retries = lines.filter((line) => /(refused|transient) +in \d/.test(line));
    expect(retries.length).toBe(Number(tableOf(stdout).get('together')?.[2]));
    const asked = retries.flatMap((line) => /429 +refused +in (.+) s \(asked: (.+) s\)$/.exec(line) ?? []);
    expect(asked.length).toBeGreaterThan(0);
    for (let at = 0; at < asked.length; at += 3)
      expect(Number(asked[at + 1])).toBeGreaterThanOrEqual(Number(asked[at + 2]));
    expect(lines.filter((line) => / POST +1 +reset +not-idempotent +no$/.test(line))).toHaveLength(3);
    expect(lines.filter((line) => LANE.test(line))).toHaveLength(27);
  });

  test('redraws lines on a terminal, and ends with the same lines', slow, async () => {
    const { code, stdout, stderr } = await run([`--import=${TERMINAL}`, DEMO], { TERM: 'xterm-256color' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('␛[1m');
    const lines = screenOf(stdout);
    for (const line of lines) expect(line.length).toBeLessThan(80);
    expect(lines.filter((line) => LANE.test(line))).toHaveLength(27);
    expect(lines.filter((line) => line.includes('x reset'))).toHaveLength(acts.length);
    expectFacts(lines.join('\n'));
    // Many frames were drawn, and only the last is left.
    expect(stdout.match(/x reset/g)?.length).toBeGreaterThan(3 * acts.length);
  });

  test.each([
    [
      'NO_COLOR must be the colours away, and nothing else',
      { NO_COLOR: '1', TERM: 'xterm' },
      /^␛\[(\d+A|K)$/,
    ],
    ['a dumb terminal gets what a pipe gets', { TERM: 'dumb' }, /^$/],
  ])('%s', slow, async (_, env, allowed) => {
    const { code, stdout } = await run([`--import=${TERMINAL}`, DEMO], env);
    expect(code).toBe(0);
    const codes = new Set(stdout.match(/␛(\[[\d;?]*[a-zA-Z])?/g));
    for (const sequence of codes) expect(sequence).toMatch(allowed);
    expect(codes.size > 0).toBe(env.TERM !== 'dumb');
  });
});

describe('the demo reports a broken promise', () => {
  const [failover, quota, shop] = acts;
  const get = { name: 'GET', method: 'GET' } as const;
  const post = { name: 'POST', method: 'POST' } as const;
  const good: Played = {
    bare: [{ client: 'axios', ask: get, result: 503 }],
    ebb: [{ client: 'axios', ask: get, result: 200 }],
    lanes: [],
    upstream: { url: '', arrivals: [], orders: new Map(), close: async () => {} },
  };
  const sentAt = (...times: number[]): Played['lanes'] =>
    times.map((atMs) => ({ ...newLane('axios', 'GET', 0), states: [{ atMs, state: 'sent' as const }] }));
  const seen = (changes: Partial<Played['upstream']>): Played => ({
    ...good,
    upstream: { ...good.upstream, ...changes },
  });

  test.each([
    ['all is well', failover, good, undefined],
    [
      'a failure is left',
      failover,
      { ...good, ebb: [{ client: 'axios', ask: get, result: 503 }] },
      'axios GET should have ended with 200, and got 503',
    ],
    ['the server does not fail', failover, { ...good, bare: good.ebb }, 'the bare clients met no failure'],
    [
      'the server saw more than was told',
      quota,
      seen({ arrivals: [{ atMs: 0, request: 'GET /' }] }),
      'the policy reported 0 attempts, but the server saw 1',
    ],
    [
      'a retry came too soon',
      quota,
      {
        ...seen({
          arrivals: [
            { atMs: 0, request: 'GET /', retryAfterMs: 1_000 },
            { atMs: 900, request: 'GET /' },
          ],
        }),
        lanes: [{ ...newLane('axios', 'GET', 0), attempts: 2 }],
      },
      'GET / came back after 900 ms, but Retry-After was 1000 ms',
    ],
    [
      'more went than the bucket allows',
      quota,
      { ...good, lanes: sentAt(...Array.from({ length: 12 }, (_, index) => index * 10)) },
      '10 attempts within 90 ms, more than the bucket allows',
    ],
    [
      'a POST was sent again',
      shop,
      { ...good, ebb: [{ client: 'axios', ask: post, result: 200 }] },
      'axios POST should have ended with network, and got 200',
    ],
    [
      'an order was carried out twice',
      shop,
      {
        ...seen({ orders: new Map([['POST /', 2]]) }),
        ebb: [{ client: 'axios', ask: post, result: 'network' as const }],
      },
      'POST / was carried out 2 times',
    ],
    [
      'an order was never carried out',
      shop,
      { ...good, ebb: [{ client: 'axios', ask: post, result: 'network' as const }] },
      '0 of 1 orders were carried out',
    ],
  ])('%s', (_, act, played, sentence) => {
    expect(act && brokenPromise(act, played)).toBe(sentence);
  });
});
