import {
  type Costs,
  constant,
  createPolicy,
  fairQueue,
  type InspectedResponse,
  type MemoryBucket,
  type PolicyOptions,
  perKey,
  quotaBucket,
  retry,
  tokenBucket,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import {
  type CostFromResponseOptions,
  type CostOfResponse,
  costFromResponse,
  estimatedCost,
} from '@ebb/providers';
import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ownBucket } from '../packages/core/test/own.ts';
import { turns } from './until.ts';

const SSE = { 'content-type': 'text/event-stream' };
const clock = virtualClock({ startMs: 1_000 });
const URL = 'https://upstream.test/';

/** A bucket that notes what its grants are settled with, and what the server says is left. */
function noted(settle: (actual: number | Costs) => void = () => undefined) {
  const settled: (number | Costs)[] = [];
  const left: (number | Costs)[] = [];
  const bucket = ownBucket({
    tryAcquire: (cost: number | Costs = 1) => ({
      cost: cost as number,
      waitedMs: 0,
      grantedAtMs: clock.now(),
      conforming: true,
      settle(actual: number | Costs) {
        settle(actual);
        settled.push(actual);
      },
    }),
    acquire: () => Promise.reject(new Error('it never waits')),
    atMost: (most: number | Costs) => void left.push(most),
  });
  return { settled, left, bucket };
}

const quotas = () => quotaBucket({ limits: { tokens: { refillPerSecond: 1, capacity: 9 } }, clock });

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    warnings.push(String((warning as Error).message));
  });
});

/** Sends one request that gets these responses, and reads the last. */
async function send(
  actual: CostOfResponse,
  responses: readonly Response[],
  options: PolicyOptions = {},
  passesMs = 5_000,
) {
  const left = responses.map((response) => response.clone());
  const policy = { clock, backoff: constant(0), actualCost: costFromResponse(actual), ...options };
  const fetch = createFetch(policy, async () => left.shift() ?? expect.fail('one attempt too many'));
  const sent = fetch(URL, { method: 'PUT', body: '{}' });
  await clock.advance(passesMs);
  const response = await sent;
  const text = await response.text();
  await turns(3);
  return text;
}

describe('what actualCost is given', () => {
  const fields = async (response: InspectedResponse) => [
    response.status,
    response.header('x-a'),
    response.attempt,
    response.request.method,
    await response.text(),
    await response.json(),
    await response.firstEvent(),
  ];

  test('of JSON', async () => {
    let given: unknown;
    const response = new Response('{"a":1}', { headers: { 'x-a': 'b' } });
    await send(
      async (seen) => {
        given = await fields(seen);
        return undefined;
      },
      [response],
      { bucket: noted().bucket },
    );
    expect(given).toEqual([200, 'b', 1, 'PUT', '{"a":1}', { a: 1 }, undefined]);
  });

  test('of each event of a stream', async () => {
    const given: unknown[] = [];
    const response = new Response('event: a\ndata: {"a":1}\n\nevent: ping\ndata: 1\n\ndata: [DONE]\n\n', {
      headers: { ...SSE, 'x-a': 'b' },
    });
    await send(
      async (seen) => {
        given.push(await fields(seen));
        return undefined;
      },
      [response],
      { bucket: noted().bucket },
    );
    expect(given).toEqual([
      [200, 'b', 1, 'PUT', '{"a":1}', { a: 1 }, { event: 'a', data: '{"a":1}' }],
      [200, 'b', 1, 'PUT', '[DONE]', undefined, { event: 'message', data: '[DONE]' }],
    ]);
  });
});

describe('what it says, of JSON', () => {
  test.each(['text', 'json', 'blob', 'arrayBuffer', 'bytes', 'body', 'clone', undefined] as const)(
    'whose caller reads it by %s',
    async (reader) => {
      const found = noted();
      const actual: CostOfResponse = async (response) => (await response.json()) as Costs;
      const policy = { clock, bucket: found.bucket, actualCost: costFromResponse(actual) };
      const response = await createFetch(policy, async () => new Response('{"a":5}'))(URL);
      if (reader === 'body') for await (const _ of response.body as never as AsyncIterable<unknown>);
      else if (reader === 'clone') await response.clone().json();
      else if (reader !== undefined) await response[reader]();
      // One that no one reads is read ahead.
      await turns(2);
      await clock.advance(reader === undefined ? 1_000 : 0);
      await turns(2);
      expect(found.settled).toEqual([{ a: 5 }]);
    },
  );

  test('a body that never ends holds no response back', async () => {
    const found = noted();
    const endless = new Response(new ReadableStream({ start: (own) => own.enqueue(new Uint8Array(1)) }));
    const actual: CostOfResponse = async (response) => (await response.json()) as number | undefined;
    const fetch = createFetch(
      { clock, bucket: found.bucket, actualCost: costFromResponse(actual) },
      async () => endless,
    );
    expect((await fetch(URL)).status).toBe(200);
    expect(found.settled).toEqual([]);
  });
});

test('what fails is reported, and takes no answer away', async () => {
  const found = noted();
  const actual = (): never => {
    throw new Error('boom');
  };
  expect(await send(actual, [new Response('{}')], { bucket: found.bucket })).toBe('{}');
  expect(found.settled).toEqual([1]);
  expect(warnings).toEqual([expect.stringContaining('actualCost failed: boom')]);
});

test('a body that breaks is reported by no warning', async () => {
  const broken = new Response(new ReadableStream({ start: (own) => own.error(new Error('reset')) }));
  const found = noted();
  const actual: CostOfResponse = async (response) => (await response.json()) as number | undefined;
  await expect(send(actual, [broken], { bucket: found.bucket })).rejects.toThrow('reset');
  expect(warnings).toEqual([]);
});

describe('what the server says is left', () => {
  const headers = { 'x-left': '5' };
  const options: CostFromResponseOptions = {
    remaining: (response) => ({ a: Number(response.header('x-left')) }),
  };

  async function heard(responses: readonly Response[], own: CostFromResponseOptions = options) {
    const found = noted();
    const policy = { bucket: found.bucket, actualCost: costFromResponse(() => undefined, own) };
    await send(() => undefined, responses, policy);
    return found.left;
  }

  test.each<[story: string, responses: readonly Response[], left: readonly unknown[]]>([
    ['is passed on to the bucket', [new Response('{}', { headers })], [{ a: 5 }]],
    [
      'once for a stream',
      [new Response('data: 1\n\ndata: 2\n\n', { headers: { ...SSE, ...headers } })],
      [{ a: 5 }],
    ],
    [
      'of each attempt',
      [new Response('', { status: 503, headers }), new Response('', { headers })],
      [{ a: 5 }, { a: 5 }],
    ],
    ['not of a cached response', [new Response('{}', { headers: { ...headers, age: '7' } })], []],
  ])('%s', async (_, responses, left) => {
    expect(await heard(responses)).toEqual(left);
  });

  test('not of a response that another has overtaken', async () => {
    const bucket = quotaBucket({ limits: { a: { refillPerSecond: 1e-6, capacity: 20 } }, clock });
    const responses: ((response: Response) => void)[] = [];
    const fetch = createFetch(
      { clock, bucket, actualCost: costFromResponse(() => undefined, options) },
      () => new Promise((resolve) => void responses.push(resolve)),
    );
    const first = fetch(URL);
    await clock.advance(10);
    const second = fetch(URL);
    responses[1]?.(new Response('{}', { headers: { 'x-left': '9' } }));
    await second;
    responses[0]?.(new Response('{}', { headers: { 'x-left': '4' } }));
    await first;
    await clock.advance(0);
    expect(bucket.stats().tokens).toBeCloseTo(9, 3);
  });
});

describe('what is learned', () => {
  const actual: CostOfResponse = async (response) => (await response.json()) as number | undefined;

  test('by the layer that has taken the tokens', async () => {
    const cost = estimatedCost(() => 100, { first: 0.1 });
    const found = noted();
    const inner = createFetch(
      { clock, bucket: found.bucket, cost, actualCost: costFromResponse(actual) },
      async () => new Response('20'),
    );
    const outer = createFetch({ clock, bucket: noted().bucket, actualCost: costFromResponse(actual) }, inner);
    await (await outer(URL)).text();
    await turns(2);
    expect(found.settled).toEqual([20]);
    expect(cost({ method: 'GET', url: URL, replayable: true, header: () => undefined })).toBe(20);
  });
});

test('a bucket gets back what a request has not used', async () => {
  const bucket = tokenBucket({ refillPerSecond: 1, capacity: 100, clock });
  const actual: CostOfResponse = async (response) => (await response.json()) as number | undefined;
  await send(actual, [new Response('20')], { bucket, cost: 60 });
  expect(bucket.stats().tokens).toBeCloseTo(85, 6);
});

test('the bucket of its key is settled, and hears what is left', async () => {
  const buckets = new Map<string, ReturnType<typeof noted>>();
  const make = (key: string) => {
    const found = noted();
    buckets.set(key, found);
    return found.bucket as unknown as MemoryBucket;
  };
  const actualCost = costFromResponse(async (response) => (await response.json()) as number, {
    remaining: () => 3,
  });
  const fetch = createFetch(
    { clock, bucket: perKey(make, { clock }), actualCost },
    async () => new Response('5'),
  );
  await (await fetch(URL, { ebb: { key: 'a' } })).json();
  await turns(2);
  expect(buckets.get('a')).toMatchObject({ settled: [5], left: [3] });
});

test('one request has its own', async () => {
  const found = noted();
  const fetch = createFetch({ clock, bucket: found.bucket }, async () => new Response('5'));
  const actualCost = costFromResponse(async (response) => (await response.json()) as number);
  await (await fetch(URL, { ebb: { actualCost, cost: 9, fairKey: 'b' } })).json();
  await turns(2);
  expect(found.settled).toEqual([5]);
});

test('a function that is retried has no answer to read', async () => {
  const found = noted();
  const policy = createPolicy({
    clock,
    bucket: found.bucket,
    actualCost: costFromResponse(() => expect.fail('called')),
  });
  expect(await retry(async () => 5, policy)).toBe(5);
});

describe('the caller gets the same bytes', () => {
  const parts = fc.array(
    fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc
        .constantFrom('data: {"a":1}\n\n', 'event: ping\n', 'data: é\r\n', '\r', '\n\n', ': ')
        .map((text) => new TextEncoder().encode(text)),
    ),
    { maxLength: 20 },
  );
  const readers: Readonly<Record<string, (response: Response) => Promise<Uint8Array>>> = {
    arrayBuffer: async (response) => new Uint8Array(await response.arrayBuffer()),
    stream: async (response) => {
      const all: number[] = [];
      for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) all.push(...part);
      return Uint8Array.from(all);
    },
    clone: async (response) => {
      const copy = response.clone();
      await response.text();
      return new Uint8Array(await copy.arrayBuffer());
    },
  };

  test.each(
    Object.keys(readers).flatMap(
      (name) =>
        [
          [name, 'bytes'],
          [name, undefined],
        ] as const,
    ),
  )('%s, of a stream of %s', async (name, type) => {
    await fc.assert(
      fc.asyncProperty(parts, async (chunks) => {
        const found = noted();
        const left = chunks.map((chunk) => chunk.slice());
        const source = {
          pull(own: ReadableStreamDefaultController) {
            const next = left.shift();
            if (next !== undefined) own.enqueue(next);
            else own.close();
          },
        };
        const body = new ReadableStream({ ...source, ...(type && { type }) } as object);
        const fetch = createFetch(
          { bucket: found.bucket, actualCost: costFromResponse(() => 5) },
          async () => {
            return new Response(body, { headers: SSE });
          },
        );
        const got = await readers[name]?.(await fetch(URL));
        expect(got).toEqual(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])));
        await turns(2);
        expect(found.settled).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
  });
});

describe('fairKey', () => {
  test.each<[story: string, options: PolicyOptions, ebb: PolicyOptions, key: string | undefined]>([
    ['none', {}, {}, undefined],
    ['a text', { fairKey: 'a' }, {}, 'a'],
    ['a function of the request', { fairKey: (request) => request.header('x-tenant') ?? '' }, {}, 'b'],
    ['of one request', { fairKey: 'a' }, { fairKey: 'c' }, 'c'],
  ])('%s', async (_, options, ebb, key) => {
    const keys: unknown[] = [];
    const bucket = ownBucket({
      tryAcquire: () => undefined,
      async acquire(asked = {}) {
        keys.push(asked.fairKey);
        return { cost: 1, waitedMs: 0, grantedAtMs: 0, conforming: true, settle: () => undefined };
      },
    });
    const fetch = createFetch({ clock, bucket, ...options }, async () => new Response());
    await fetch(URL, { headers: { 'x-tenant': 'b' }, ebb });
    expect(keys).toEqual([key]);
  });
});

describe('what is wrong', () => {
  test.each<[make: () => unknown, message: string]>([
    [
      () => createPolicy({ actualCost: (() => 1) as never }),
      'createPolicy: actualCost must be costFromResponse(…), got a function',
    ],
    [() => createPolicy({ fairKey: 5 as never }), 'createPolicy: fairKey must be a string, got 5'],
    [() => createPolicy({ cost: -1 }), 'createPolicy: cost must be'],
    [() => createPolicy({ cost: 'a' as never }), 'createPolicy: cost must be'],
    [
      () => createPolicy({ clock, cost: { tokns: 1 }, bucket: quotas() }),
      'createPolicy: cost has no option "tokns"; it takes tokens',
    ],
    [
      () => createPolicy({ clock, cost: { tokens: 10 }, bucket: quotas() }),
      'createPolicy: cost.tokens must be at most the capacity, 9, got 10',
    ],
  ])('%s', (make, message) => {
    expect(make).toThrow(message);
  });

  test.each<[options: PolicyOptions, hook: string]>([
    [{ cost: () => 'a' as never }, 'cost'],
    [{ cost: () => -1 }, 'cost'],
    [{ cost: estimatedCost(() => -1) }, 'cost'],
    [{ cost: () => 99 }, 'cost'],
    [{ cost: () => ({ tokens: 1 }) }, 'cost'],
    [{ cost: () => ({ tokns: 1 }), bucket: quotas() }, 'cost'],
    [{ cost: () => ({ tokens: 99 }), bucket: quotas() }, 'cost'],
    [{ cost: () => ({}), bucket: quotas() }, 'cost'],
  ])('a hook, %o', async (options, hook) => {
    const fetch = createFetch(
      { clock, bucket: tokenBucket({ refillPerSecond: 1, clock }), ...options },
      async () => new Response(),
    );
    await expect(fetch(URL)).rejects.toMatchObject({ name: 'HookError', hook });
  });

  test.each<PolicyOptions['fairKey']>([
    () => 5 as never,
    () => {
      throw new Error('boom');
    },
  ])('fairKey, %o', async (fairKey) => {
    const queue = fairQueue();
    const bucket = tokenBucket({ refillPerSecond: 1, capacity: 1, initialTokens: 0, queue, clock });
    const fetch = createFetch({ clock, bucket, fairKey }, async () => new Response());
    await expect(fetch(URL)).rejects.toMatchObject({ name: 'HookError', hook: 'fairKey' });
  });
});
