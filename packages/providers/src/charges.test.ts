import type { CallView, Costs, RequestTraits } from '@ebb/core';
import { nextTurn, type Peek } from '@ebb/core/adapter';
import type { CostLearner } from '@ebb/core/internal';
import { virtualClock } from '@ebb/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { anthropicLimits } from './anthropic.ts';
import { githubLimits } from './github.ts';
import { openaiLimits } from './openai.ts';
import type { ProviderLimits } from './options.ts';
import { shopifyLimits } from './shopify.ts';

const clock = virtualClock({ startMs: 0 });

// A cost that is none is reported in a warning, once for each provider.
const warnings: string[] = [];
const listen = ({ name, message }: Error): void => {
  if (name === 'EbbWarning') warnings.push(message);
};
beforeAll(() => void process.on('warning', listen));
afterEach(() => expect(warnings).toEqual([]));
afterAll(() => void process.off('warning', listen));

const requestOf = (body: unknown, url = 'https://a.test/', method = 'POST'): RequestTraits => ({
  ...{ method, url, replayable: true, header: () => undefined, body },
});

function costOf({ cost }: ProviderLimits, body: unknown, url?: string, method?: string): Costs {
  return (cost as (request: RequestTraits) => Costs)(requestOf(body, url, method));
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a response settles the tokens with, and what it says is left. */
async function told({ actualCost }: ProviderLimits, of: Answer, request = requestOf('')): Promise<unknown> {
  const found: { settled?: unknown; left?: unknown } = {};
  const bucket = { atMost: (left: unknown) => Object.assign(found, { left }) };
  const grant = {
    cost: {},
    settle(settled: Costs) {
      // A unit that nothing is known of stays as it was taken.
      if (Object.keys(settled).length > 0) Object.assign(found, { settled });
    },
  };
  const call = { grant, bucket, policy: { clock, cost: () => 1 }, request } as unknown as CallView;
  const peek: Peek = {
    read: async () => undefined,
    stop: () => undefined,
    watch(watcher, ended) {
      watcher.part(new TextEncoder().encode(JSON.stringify(of.body ?? {})));
      ended();
    },
  };
  const { status = 200, headers = {} } = of;
  const look = { attempt: 1, signal: undefined, open: () => peek };
  const { inspect, ended } = actualCost;
  inspect.judge({ type: 'response', status, header: (name) => headers[name] }, call, look, undefined);
  ended?.(call, status < 400 ? 'success' : 'final');
  await nextTurn();
  return found;
}

/** The statuses up to 599 whose answer settles the tokens. */
async function statusesThatSettle(limits: ProviderLimits, answer: Answer, request?: RequestTraits) {
  const statuses = Array.from({ length: 400 }, (_, at) => at + 200);
  const all = await Promise.all(statuses.map((status) => told(limits, { ...answer, status }, request)));
  return statuses.filter((_, at) => 'settled' in (all[at] as object));
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** The units of a bucket: what it holds and what comes back in a minute. */
const unitsOf = ({ bucket }: ProviderLimits): unknown =>
  Object.fromEntries(
    Object.entries(bucket.stats().units ?? {}).map(([unit, { capacity, refillPerSecond }]) => [
      unit,
      [capacity, Math.round(refillPerSecond * 60 * 1e6) / 1e6],
    ]),
  );

describe('anthropic', () => {
  const make = (more: object = {}): ProviderLimits =>
    anthropicLimits({
      ...{ requestsPerMinute: 50, inputTokensPerMinute: 30_000, outputTokensPerMinute: 8_000, clock },
      ...more,
    });
  const usage = { input_tokens: 200, cache_creation_input_tokens: 50, output_tokens: 300 };

  test('a minute of each unit', () => {
    expect(unitsOf(make())).toEqual({
      ...{ requests: [50, 50], inputTokens: [30_000, 30_000], outputTokens: [8_000, 8_000] },
    });
  });

  test.each<[story: string, body: object, settled: Costs | undefined]>([
    ['all of it', { usage }, { inputTokens: 250, outputTokens: 300 }],
    ['output alone', { usage: { output_tokens: 300 } }, { outputTokens: 300 }],
    ['a cache alone', { usage: { cache_creation_input_tokens: 50 } }, undefined],
    ['the beginning of a stream, whose output is not known', { message: { usage } }, { inputTokens: 250 }],
    [
      'a beginning without input',
      { message: { usage: { output_tokens: 1 } }, usage },
      { inputTokens: 250, outputTokens: 300 },
    ],
  ])('is charged with its usage: %s', async (_, body, settled) => {
    expect(await told(make(), { body })).toEqual({ settled, left: {} });
  });

  test('a success is read, and a refusal has used nothing', async () => {
    const settling = [...range(200, 299), ...range(400, 499), 529];
    expect(await statusesThatSettle(make(), { body: { usage } })).toEqual(settling);
    for (const status of [400, 429, 499, 529])
      expect(await told(make(), { status })).toMatchObject({ settled: { inputTokens: 0, outputTokens: 0 } });
  });

  test.each<[story: string, headers: Record<string, string>, left: Costs]>([
    ['requests are exact', { 'requests-remaining': '20' }, { requests: 20 }],
    ['thousands of tokens are rounded', { 'input-tokens-remaining': '5000' }, { inputTokens: 6_000 }],
    ['nothing is nothing', { 'output-tokens-remaining': '0' }, { outputTokens: 0 }],
    [
      'the own limit',
      { 'input-tokens-remaining': '5000', 'input-tokens-limit': '30000' },
      { inputTokens: 6_000 },
    ],
    [
      'twice the own limit',
      { 'input-tokens-remaining': '5001', 'input-tokens-limit': '60000' },
      { inputTokens: 2_501 },
    ],
    ['five times that of requests', { 'requests-remaining': '26', 'requests-limit': '250' }, { requests: 6 }],
    ['what is no number', { 'requests-remaining': '-1', 'requests-limit': '250' }, {}],
  ])('what is left: %s', async (_, fields, left) => {
    const headers = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`anthropic-ratelimit-${name}`, value]),
    );
    expect(await told(make(), { headers })).toMatchObject({ left });
  });

  test('a request whose bound is not known costs a request, and a number that is none is an error', () => {
    expect(costOf(make(), {})).toEqual({ requests: 1 });
    expect(() => make({ inputTokensPerMinute: 0 })).toThrow(
      'anthropicLimits: inputTokensPerMinute must be a finite number > 0, got 0',
    );
  });

  test.each<[options: object, cost: Costs]>([
    [{}, { requests: 1, inputTokens: 5, outputTokens: 100 }],
    [{ first: 0.5 }, { requests: 1, inputTokens: 23, outputTokens: 500 }],
    [
      { first: 1, outputTokensPerMinute: 900 },
      { requests: 1, inputTokens: 45, outputTokens: 900 },
    ],
    [
      { first: 1, inputTokensPerMinute: 40 },
      { requests: 1, inputTokens: 40, outputTokens: 1_000 },
    ],
  ])('the first request takes a share, with %j', (options, cost) => {
    expect(costOf(make(options), { model: 'm', max_tokens: 1_000, messages: [] })).toEqual(cost);
  });

  test('a model that is not named is one of its own, and keyOf may tell others apart', () => {
    const learnt = (options: object, learning: unknown, asking: unknown): number | undefined => {
      const { cost } = make(options);
      const { learnerFor } = cost as unknown as CostLearner;
      learnerFor(requestOf(learning))({ outputTokens: 10 });
      return costOf({ cost } as never, asking).outputTokens;
    };
    const [one, other, none] = [
      { model: 'a', max_tokens: 1_000 },
      { model: 'b', max_tokens: 1_000 },
      { max_tokens: 1_000 },
    ];
    expect(learnt({ first: 0.001 }, one, one)).toBe(10);
    expect(learnt({ first: 0.001 }, none, none)).toBe(10);
    expect(learnt({ first: 0.001 }, one, other)).toBe(1);
    expect(learnt({ first: 0.001 }, one, none)).toBe(1);
    expect(learnt({ first: 0.001, keyOf: () => 'all' }, one, other)).toBe(10);
  });
});

describe('openai', () => {
  const make = (more: object = {}): ProviderLimits =>
    openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 30_000, clock, ...more });

  test('a minute of each unit; a refusal alone is settled', async () => {
    expect(unitsOf(make())).toEqual({ requests: [500, 500], tokens: [30_000, 30_000] });
    expect(await statusesThatSettle(make(), {})).toEqual([429]);
    expect(await told(make(), { status: 429 })).toEqual({ settled: { tokens: 0 }, left: {} });
  });

  test.each<[fields: Record<string, string>, left: Costs]>([
    [
      { tokens: '9000', 'project-tokens': '8001', requests: '7' },
      { requests: 7, tokens: 8_001 },
    ],
    [{ tokens: '8000', 'project-tokens': '9000' }, { tokens: 8_000 }],
    [{ 'project-tokens': '8001' }, { tokens: 8_001 }],
    [{ tokens: '0' }, { tokens: 0 }],
    [{ tokens: '-1', requests: '' }, {}],
    [{ tokens: '1.5', requests: '1x' }, {}],
  ])('of %j is left %j', async (fields, left) => {
    const headers = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`x-ratelimit-remaining-${name}`, value]),
    );
    expect(await told(make(), { headers })).toEqual({ left });
  });

  test.each<[body: unknown, larger: number | undefined, sum: number | undefined]>([
    [{ max_completion_tokens: 700, max_tokens: 1 }, 700, 711],
    [{ max_tokens: 700, n: 2 }, 1_400, 1_406],
    [{ max_output_tokens: 1 }, 6, 7],
    [{ max_tokens: '700' }, 5, 5],
    ['', undefined, undefined],
    [undefined, undefined, undefined],
  ])('%j costs %d tokens, and %d if both count', (body, larger, sum) => {
    for (const [counts, tokens] of [
      ['larger', larger],
      ['sum', sum],
    ] as const)
      expect(costOf(make({ counts }), body)).toEqual({
        requests: 1,
        ...(tokens !== undefined && { tokens }),
      });
  });
});

describe('github', () => {
  const make = (more: object = {}): ProviderLimits =>
    githubLimits({ pointsPerHour: 6_000, pointsPerMinute: 2_000, clock, ...more });
  const graphql = 'https://a.test/api/graphql?x';
  const query = { query: '{ a }' };
  const costing = (cost: unknown): Answer => ({ body: { data: { rateLimit: { cost } } } });

  test('an hour, and a tenth of a minute that has nine tenths more', () => {
    expect(unitsOf(make())).toEqual({ hour: [6_000, 100], minute: [200, 1_800] });
    // A write must fit.
    expect(unitsOf(make({ pointsPerMinute: 49 }))).toMatchObject({ minute: [5, 44.1] });
    expect(() => make({ resource: 5 })).toThrow('githubLimits: resource must be a string, got 5');
  });

  test.each<[method: string, url: string, body: unknown, minute: number]>([
    ['GET', 'https://a.test/user', undefined, 1],
    ['HEAD', 'https://a.test/user', undefined, 1],
    ['OPTIONS', 'https://a.test/user', undefined, 1],
    ['PUT', 'https://a.test/user', undefined, 5],
    ['DELETE', 'https://a.test/user', undefined, 5],
    ['GETS', 'https://a.test/user', undefined, 5],
    ['TARGET', 'https://a.test/user', undefined, 5],
    ['POST', 'https://a.test/user', query, 5],
    ['POST', graphql, query, 1],
    ['POST', graphql, { query: 'mutation { a }' }, 5],
    ['GET', graphql, undefined, 5],
  ])('%s %s of %j costs %d points of a minute', (method, url, body, minute) => {
    expect(costOf(make(), body, url, method)).toEqual({ hour: 1, minute });
  });

  test.each<[story: string, answer: Answer, url: string, settled: Costs | undefined, then: number]>([
    ['the cost of a query', costing(30), graphql, { hour: 30 }, 30],
    ['more than there is', costing(9_000), graphql, { hour: 9_000 }, 6_000],
    ['one that costs nothing', costing(0), graphql, { hour: 0 }, 1],
    ['one that does not say', costing('30'), graphql, undefined, 1],
    ['another status', { ...costing(30), status: 201 }, graphql, undefined, 1],
    ['another place', costing(30), 'https://a.test/graphql/x', undefined, 1],
    ['what has not changed', { status: 304 }, 'https://a.test/user', { hour: 0 }, 1],
  ])('%s', async (_, answer, url, settled, then) => {
    const limits = make();
    expect(await told(limits, answer, requestOf(query, url))).toEqual({ settled });
    expect(costOf(limits, query, url).hour).toBe(then);
  });

  test.each<[resource: string | undefined, fields: Record<string, string>, left: Costs | undefined]>([
    [undefined, { remaining: '80', resource: 'graphql' }, { hour: 80 }],
    [undefined, { remaining: '0', resource: 'graphql' }, { hour: 0 }],
    [undefined, { remaining: '80', resource: 'core' }, undefined],
    ['core', { remaining: '80', resource: 'core' }, { hour: 80 }],
    ['core', { remaining: '80' }, undefined],
    ['core', { resource: 'core' }, undefined],
  ])('of the resource %s is left by %j: %j', async (resource, fields, left) => {
    const headers = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`x-ratelimit-${name}`, value]),
    );
    expect(await told(make({ resource }), { headers })).toEqual(left === undefined ? {} : { left });
  });
});

describe('shopify', () => {
  const make = (more: object = {}): ProviderLimits =>
    shopifyLimits({ pointsPerSecond: 100, maximumPoints: 2_000, clock, ...more });
  const query = { query: '{ a }' };
  const costing = (
    requestedQueryCost: unknown,
    actualQueryCost?: unknown,
    currentlyAvailable?: unknown,
  ): Answer => ({
    body: {
      extensions: { cost: { requestedQueryCost, actualQueryCost, throttleStatus: { currentlyAvailable } } },
    },
  });

  test('its points', () => {
    expect(unitsOf(make())).toEqual({ points: [2_000, 6_000] });
    expect([costOf(make(), query), costOf(make({ firstCost: 30 }), query)]).toEqual([
      { points: 10 },
      { points: 30 },
    ]);
    expect(costOf(make({ firstCost: 3_000 }), query)).toEqual({ points: 2_000 });
    expect(() => make({ firstCost: 0 })).toThrow(
      'shopifyLimits: firstCost must be a finite number > 0, got 0',
    );
  });

  test.each<[story: string, answer: Answer, settled: number | undefined, then: number]>([
    ['what a query has used', costing(100, 7), 7, 100],
    ['what it has used, without more', costing(undefined, 7), 7, 10],
    ['nothing, if it did not run', costing(100), 0, 100],
    ['nothing for one that costs nothing', costing(0, 0), 0, 10],
    ['nothing at all', {}, undefined, 10],
    ['not what an error says', { ...costing(100, 7), status: 500 }, undefined, 10],
  ])('%s', async (_, answer, points, then) => {
    const limits = make();
    const settled = points === undefined ? undefined : { points };
    expect(await told(limits, answer, requestOf(query))).toEqual({ settled });
    expect(costOf(limits, query)).toEqual({ points: then });
  });

  test('a 200 is read, and a 4xx has used nothing', async () => {
    expect(await statusesThatSettle(make(), costing(100, 7))).toEqual([200, ...range(400, 499)]);
    expect(await told(make(), { status: 429 })).toEqual({ settled: { points: 0 } });
  });

  test('what is left is told by a 200', async () => {
    const answer = costing(100, 7, 500);
    expect(await told(make(), answer)).toMatchObject({ left: { points: 500 } });
    expect(await told(make(), { ...answer, status: 201 })).toEqual({});
    expect(await told(make(), costing(100, 7, '500'))).not.toHaveProperty('left');
  });
});

test.each<[make: () => unknown, message: string]>([
  [() => openaiLimits({ requestsPerMinute: 1 } as never), 'openaiLimits: tokensPerMinute must be'],
  [
    () => openaiLimits({ requestsPerMinute: 1, tokensPerMinute: 1, rpm: 1 } as never),
    'openaiLimits has no option "rpm"',
  ],
  [
    () => openaiLimits({ requestsPerMinute: 1, tokensPerMinute: 1, counts: 'both' as never }),
    "openaiLimits: counts must be one of 'larger', 'sum'",
  ],
])('%s is wrong', (make, message) => {
  expect(make).toThrow(message);
});
