import { retryBudget, tokenBucket } from '@ebb/core';
import * as undici from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import axiosRetry from '../bench/rivals/axios/axios-retry.ts';
import cockatiel from '../bench/rivals/fetch/cockatiel.ts';
import ky from '../bench/rivals/fetch/ky.ts';
import pRetry from '../bench/rivals/fetch/p-retry.ts';
import { type ReceivedRequest, type Step, upstream } from '../server.ts';
import { PROGRAMS } from '../size/programs.ts';
import { sizeOf } from '../size/size.ts';
import {
  type Asked,
  CONTENDERS,
  type Contender,
  OTHERS_OF_EBB,
  type Send,
  type Settings,
} from './contenders.ts';
import { sectionOf, tablesOf } from './page.ts';

afterEach(() => {
  vi.useRealTimers();
});

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };

const SETTINGS: Settings = { retries: 3, delayMs: 1 };

interface Played {
  readonly seen: readonly ReceivedRequest[];
  /** The text of the response to the first of them, or the error. */
  readonly end: unknown;
}

/** Sends requests, all at once, to a server that follows a script. */
async function play(send: Send, script: Step[], asked: Partial<Asked> = {}, times = 1): Promise<Played> {
  const server = await upstream(script);
  const call = (): Promise<unknown> => send({ url: server.url, ...asked }).catch((error: unknown) => error);
  try {
    const [end] = await Promise.all(Array.from({ length: times }, call));
    return { seen: server.seen, end };
  } finally {
    await server.close();
  }
}

const yes = (is: boolean): string => (is ? 'yes' : 'no');

/** How long a client waits before its retry if the server asks for a minute. */
async function waitedMs(contender: Contender): Promise<number> {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'] as const;
  vi.useFakeTimers({ now: 1_000_000_000_000, toFake: [...toFake, 'Date', 'performance'] });
  const sentAt: number[] = [];
  const stub = {
    status: 503,
    headers: { 'retry-after': '60' },
    onRequest: () => void sentAt.push(performance.now()),
  };
  contender({ retries: 1, stub })({ url: 'http://upstream.test/' }).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(61_000);
  vi.useRealTimers();
  const [first = 0, second = 0] = sentAt;
  expect(sentAt).toHaveLength(2);
  return second - first;
}

/** What a program imports of each library. */
const BUNDLES: Readonly<Record<string, string>> = {
  ebb: PROGRAMS['@ebb/axios'] ?? '',
  'axios-retry': axiosRetry.bundle,
  'p-retry': pRetry.bundle,
  ky: ky.bundle,
  cockatiel: cockatiel.bundle,
};

/** All that the others export, and what a limit of a rate would be called. */
const MODULES: Readonly<Record<string, object>> = {
  'axios-retry': await import('axios-retry'),
  'p-retry': await import('p-retry'),
  ky: await import('ky'),
  cockatiel: await import('cockatiel'),
  RetryAgent: { ...undici.interceptors, ...undici },
};
const RATE = /rate.?limit|bucket|throttl|token/i;

/** The first cell of each row, and how the others are measured. */
const ROWS: Readonly<Record<string, (name: string, contender: Contender) => Promise<string>>> = {
  'waits for `Retry-After: 60`': async (_, contender) => {
    const ms = await waitedMs(contender);
    return ms >= 60_000 ? 'yes' : ms > 1_000 ? `${ms / 1_000} s` : 'no';
  },
  'sends a POST again after a 429': async (_, contender) => {
    const { seen } = await play(contender(SETTINGS), [{ status: 429 }, up], { method: 'POST' });
    return yes(seen.length === 2);
  },
  'and not after a 503 or a reset': async (_, contender) => {
    const failures: Step[] = [down, 'reset'];
    const played = failures.map((step) => play(contender(SETTINGS), [step, up], { method: 'POST' }));
    return yes((await Promise.all(played)).every(({ seen }) => seen.length === 1));
  },
  'sends the stream of a PUT again': async (_, contender) => {
    const { seen } = await play(contender(SETTINGS), [down, up], { method: 'PUT', stream: 'all of it' });
    const [first, second] = seen.map(({ body }) => body);
    expect(first).toBe('all of it');
    if (second === undefined) return 'no';
    return second === first ? 'whole' : 'empty';
  },
  'requests of 100 calls to a dead server': async (_, contender) => {
    const send = contender(SETTINGS, { budget: retryBudget() });
    return String((await play(send, [down], {}, 100)).seen.length);
  },
  'limits the rate': async (name, contender) => {
    // The bucket has five tokens, and a call without one is rejected. The others have no such option.
    const bucket = tokenBucket({ refillPerSecond: 0.001, capacity: 5, nonConforming: 'reject' });
    const { seen } = await play(contender(SETTINGS, { bucket }), [up], {}, 20);
    if (name !== 'ebb') expect(Object.keys(MODULES[name] ?? {}).filter((key) => RATE.test(key))).toEqual([]);
    return yes(seen.length === 5);
  },
  'limits the time of all attempts': async (_, contender) => {
    const { seen } = await play(contender({ retries: 20, delayMs: 30, limitMs: 150 }), [down]);
    return yes(seen.length < 21);
  },
  'returns the last response': async (_, contender) => {
    const { end } = await play(contender(SETTINGS), [down]);
    const { response, data } = end as { response?: { data?: unknown }; data?: unknown };
    if (end === 'down' || (response?.data ?? data) === 'down') return 'yes';
    return (end as Error).message === 'status 503' ? 'your error' : 'no';
  },
  'resumes a download': async (_, contender) => {
    const { end, seen } = await play(contender(SETTINGS), ['half-download', 'rest-of-download']);
    if (end !== '1234567890') return 'no';
    return seen[1]?.headers.range === 'bytes=5-9' ? 'yes' : 'restarts';
  },
  'kB in a bundle': async (name) => {
    const program = BUNDLES[name];
    if (program === undefined) return 'in undici';
    return (await sizeOf(program, 'web')).brotli.toString();
  },
};

const HEADING = 'Beside other libraries';

/** Without the signs of notes. */
const plain = (cell: string): string => cell.replace(/ [¹²³]$/, '');

const [rows = []] = tablesOf('README.md', HEADING).map((table) => table.map((row) => row.map(plain)));

test('the columns of the table are the libraries, and its rows are measured', () => {
  const [head = ''] = /^\|.*$/m.exec(sectionOf('README.md', HEADING)) ?? [];
  expect(
    head
      .split('|')
      .slice(2, -1)
      .map((cell) => plain(cell.trim())),
  ).toEqual(Object.keys(CONTENDERS));
  expect(rows.map(([label]) => label)).toEqual(Object.keys(ROWS));
  expect(rows).toHaveLength(10);
});

/** Rows in which axios with ebb differs from the other two, of which the page says so. */
const DIFFERS: Readonly<Record<string, string>> = { 'resumes a download': 'no' };
const SIZE = 'kB in a bundle';

test.each(rows)(
  '%s: ebb %s, axios-retry %s, p-retry %s, ky %s, cockatiel %s, RetryAgent %s',
  async (...row) => {
    const [label = '', ...cells] = row;
    const measure = ROWS[label] ?? expect.fail(`${label} is not measured`);
    const measured: string[] = [];
    for (const [name, contender] of Object.entries(CONTENDERS)) measured.push(await measure(name, contender));
    const shown = [DIFFERS[label] ?? cells[0], ...cells.slice(1)];
    if (label !== SIZE) return expect(shown).toEqual(measured);
    // A tenth more or less, or half of a kB: that a bundle grows is for `cost` to say.
    for (const [nth, cell] of cells.entries()) {
      const bytes = Number(measured[nth]);
      if (Number.isNaN(bytes)) expect(cell).toBe(measured[nth]);
      else expect(Math.abs(Number(cell) * 1_000 - bytes)).toBeLessThan(Math.max(500, bytes / 10));
    }
  },
);

describe.each(Object.entries(OTHERS_OF_EBB))('ebb in %s', (_, contender) => {
  test.each(rows.filter(([label]) => label !== SIZE))('%s: %s', async (label = '', cell = '') => {
    expect(await ROWS[label]?.('ebb', contender)).toBe(cell);
  });
});
