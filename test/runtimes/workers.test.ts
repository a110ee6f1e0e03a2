import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../page-blocks.ts';
import { pairs } from '../pairs.ts';
import { workerd } from './workerd.ts';
import { service } from './workers/service.ts';
import { CLIENTS, TOKEN_MS } from './workers/shared.ts';
import { startWorker, type Worker } from './workers/start.ts';
import type { Job, Scope } from './workers/worker.ts';

/** What errors name. */
const PAGE = 'docs/guide/workers.md';

/** The oldest compatibility date that ebb loads with, and a late one. */
const WORKERS: readonly [compatibilityDate: string, compatibilityFlags: string[]][] = [
  ['2025-05-05', []],
  ['2026-07-01', ['nodejs_compat']],
];

const SCOPES: readonly Scope[] = ['global scope', 'first request', 'each request', 'Durable Object'];
/** So many requests to the worker at once, each of which sends so many. */
const REQUESTS = 4;
const SENDS = 2;

type Got = ReturnType<Awaited<ReturnType<typeof service>>['taken']>;

const atOnce = (got: Got): number => Math.max(...got.map((one) => one.atOnce));
const isOneByOne = (got: Got): void => {
  const [first, last] = [got[0], got.at(-1)];
  // A network may bunch what was sent evenly.
  expect(Number(last?.atMs) - Number(first?.atMs)).toBeGreaterThan(0.7 * TOKEN_MS * (got.length - 1));
};

/** What clients do while all requests are answered, by what the service has got. @param each true if each request has a client of its own */
const EFFECTS: Readonly<Record<string, (got: Got, each: boolean) => void>> = {
  tokenBucket: (got, each) => each || isOneByOne(got),
  quotaBucket: (got, each) => each || isOneByOne(got),
  'tokenBucket, with a fair queue': (got, each) => each || isOneByOne(got),
  concurrencyLimit: (got, each) => expect(atOnce(got)).toBe(each ? REQUESTS : 1),
  deduplicate: (got, each) => expect(got).toHaveLength(each ? REQUESTS : 1),
  hedged: (got) => expect(got).toHaveLength(2 * REQUESTS * SENDS),
  refreshOn401: (got, each) =>
    expect(got.filter(({ path }) => path === '/token')).toHaveLength(each ? REQUESTS : 1),
};

test.skipIf(workerd.missing !== undefined).each(blocksOf(PAGE))(
  'the program of the page for $label works',
  async ({ code: contents }) => {
    const { Response } = await import('miniflare');
    await using worker = await startWorker(
      { stdin: { contents, loader: 'ts', resolveDir: import.meta.dirname } },
      { compatibilityDate: '2026-07-01', outboundService: ({ url }) => Response.json(url) as never },
    );
    const answers = await Promise.all(Array.from({ length: REQUESTS }, () => worker.ask('')));
    const urls = ['a', 'b', 'c'].map((name) => `https://api.example.com/${name}`);
    expect(answers).toEqual(Array(REQUESTS).fill(JSON.stringify(urls)));
  },
);

const CELLS = pairs(
  WORKERS.flatMap(([date]) =>
    Object.keys(CLIENTS).flatMap((name) =>
      SCOPES.flatMap((scope) => [false, true].map((hasSignal) => ({ date, name, scope, hasSignal }))),
    ),
  ),
  Object.values,
);

describe.skipIf(workerd.missing !== undefined).each(WORKERS)('workers of %s, %j', (date, flags) => {
  let worker: Worker;
  let upstream: Awaited<ReturnType<typeof service>>;
  const ask: Worker['ask'] = (...request) => worker.ask(...request);

  beforeAll(async () => {
    upstream = await service();
    worker = await startWorker(
      {
        entryPoints: [new URL('workers/worker.ts', import.meta.url).pathname],
        define: { ORIGIN: JSON.stringify(upstream.origin) },
      },
      {
        compatibilityDate: date,
        compatibilityFlags: flags,
        durableObjects: { OBJECT: 'LimitedObject' },
      },
    );
  });
  afterAll(async () => {
    await worker[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  const cells = CELLS.filter((cell) => cell.date === date);

  test.for(cells)(
    '$name, made in: $scope, under its signal: $hasSignal',
    async ({ name, scope, hasSignal }) => {
      const client = CLIENTS[name] as (typeof CLIENTS)[string];
      upstream.taken();
      const id = `${SCOPES.indexOf(scope)}-${hasSignal}-${name.replaceAll(/\W+/g, '-')}`;
      const requests = Array.from({ length: REQUESTS }, (_, at) => {
        const urls = Array.from({ length: SENDS }, (_, send) => {
          const own = name === 'deduplicate' ? '' : `/${at}/${send}`;
          return `${upstream.origin}/${client.path}/${id}${own}`;
        });
        const job: Job = { client: name, hasSignal, urls };
        return ask(scope, job);
      });
      const answers = await Promise.all(requests);
      const answered = answers.filter((text) => text === JSON.stringify(Array(SENDS).fill('200 ok')));
      const refused = answers.filter(
        (text) => text.split('TypeError: ').length === SENDS + 1 && text.includes(PAGE),
      );
      const isForAll = scope === 'each request' || scope === 'Durable Object' || client.isBound === undefined;
      const some = scope === 'first request' || client.isBound === 'when used' ? 1 : 0;
      const expected = isForAll ? REQUESTS : some;
      expect([answered.length, refused.length], answers.join('\n')).toEqual([expected, REQUESTS - expected]);
      if (isForAll) EFFECTS[name]?.(upstream.taken(), scope === 'each request');
    },
  );

  test('a request that has ended holds up no other one of its queue', async () => {
    const story = 'left in the queue';
    expect(await ask(`${story}/send`)).toBe('ok');
    expect(await Promise.all([ask(`${story}/leave`), ask(`${story}/leave`)])).toEqual(['left', 'left']);
    expect(await Promise.all([ask(`${story}/send`), ask(`${story}/send`)])).toEqual(['ok', 'ok']);
  });

  test('a request that is aborted in the queue holds up no other', async () => {
    const story = 'aborted in the queue';
    expect(await ask(`${story}/send`)).toBe('ok');
    const [aborted, sent] = await Promise.all([ask(`${story}/abort`), ask(`${story}/send`)]);
    expect(aborted).toMatch(/^TimeoutError: /);
    expect(sent).toBe('ok');
  });

  test('one request refuses another that waits', async () => {
    const story = 'refused by another request';
    expect(await ask(`${story}/send`)).toBe('ok');
    const waiting = ask(`${story}/send`);
    expect(await ask(`${story}/pause`)).toBe('paused');
    expect(await waiting).toMatch(/^NotSentError: /);
  });

  test('all wait out the pause that a server has told one', async () => {
    const send = () => ask('paused by the server/send');
    upstream.taken();
    expect(await Promise.all([send(), send(), send()])).toEqual(['ok', 'ok', 'ok']);
    const [first, second] = upstream.taken();
    expect(Number(second?.atMs) - Number(first?.atMs)).toBeGreaterThan(900);
  });

  test('another request waits until a bucket is idle', async () => {
    const send = () => ask('idle/send');
    const sent = Promise.all([send(), send(), send()]);
    await expect.poll(() => ask('idle/count')).toBe('2 wait');
    expect(await ask('idle/wait')).toBe('0 wait');
    expect(await sent).toEqual(['ok', 'ok', 'ok']);
  });

  test('an unread body frees its slot, whatever other requests have begun', async () => {
    const story = 'a body that is not read';
    expect(await ask(`${story}/leave`)).toBe('left with 200');
    expect(await ask(`${story}/send`)).toBe('ok');
  });

  test('requests are hedged when one before them has ended early', async () => {
    const story = 'hedges of a request that has ended';
    upstream.taken();
    expect(await ask(`${story}/leave`)).toBe('left');
    expect(await ask(`${story}/send`)).toBe('ok');
    expect(upstream.taken().filter(({ path }) => path === '/slow/send')).toHaveLength(2);
  });
});
