import { type Costs, constant, type PolicyOptions, type RequestTraits } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import {
  anthropic,
  anthropicLimits,
  github,
  githubLimits,
  openai,
  openaiLimits,
  type ProviderLimits,
  shopify,
  shopifyLimits,
} from '@ebb/providers';
import { describe, expect, test } from 'vitest';

const clock = virtualClock({ startMs: 0 });
const JSON_TYPE = { 'content-type': 'application/json' };
const SSE = { 'content-type': 'text/event-stream' };

const events = (...all: readonly object[]) =>
  all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** What a request with this body costs before it is sent. */
function costOf(
  { cost }: ProviderLimits,
  body: unknown,
  url = 'https://upstream.test/',
  method = 'POST',
): Costs {
  const request: RequestTraits = { method, url, replayable: true, header: () => undefined, body };
  return (cost as (request: RequestTraits) => Costs)(request);
}

/** Sends a request, and returns what is then left of each unit. */
async function leftAfter(
  preset: PolicyOptions,
  limits: ProviderLimits,
  body: object,
  answer: Response,
  url = 'https://upstream.test/',
): Promise<Record<string, number>> {
  const policy = { ...preset, ...limits, clock, backoff: constant(0), maxRetries: 0 };
  const fetch = createFetch(policy, async () => answer.clone());
  const sent = fetch(url, { method: 'POST', body: JSON.stringify(body) });
  await clock.advance(0);
  await (await sent).text();
  await clock.advance(0);
  const { units = {} } = limits.bucket.stats();
  return Object.fromEntries(Object.entries(units).map(([unit, { tokens }]) => [unit, Math.round(tokens)]));
}

describe('anthropic', () => {
  const make = () =>
    anthropicLimits({
      requestsPerMinute: 50,
      inputTokensPerMinute: 30_000,
      outputTokensPerMinute: 8_000,
      clock,
    });
  const body = { model: 'm', max_tokens: 1_000, messages: [{ role: 'user', content: 'x'.repeat(940) }] };
  const usage = {
    input_tokens: 200,
    cache_creation_input_tokens: 50,
    cache_read_input_tokens: 9_999,
    output_tokens: 300,
  };

  test.each<[story: string, body: unknown, cost: Costs]>([
    [
      'a tenth of the bound at first',
      JSON.stringify(body),
      { requests: 1, inputTokens: 102, outputTokens: 100 },
    ],
    [
      'a body as bytes',
      new TextEncoder().encode(JSON.stringify(body)),
      { requests: 1, inputTokens: 102, outputTokens: 100 },
    ],
    ['an object', body, { requests: 1, inputTokens: 102, outputTokens: 100 }],
    [
      'not more than a minute has',
      { ...body, max_tokens: 500_000 },
      { requests: 1, inputTokens: 102, outputTokens: 8_000 },
    ],
    ['a request without a bound', '{}', { requests: 1 }],
    ['no body', undefined, { requests: 1 }],
    ['no JSON', 'max_tokens', { requests: 1 }],
    ['a bound that is none', { max_tokens: '5' }, { requests: 1 }],
  ])('costs: %s', (_, sent, cost) => {
    expect(costOf(make(), sent)).toEqual(cost);
  });

  const json = (status: number, answer: object, headers = {}) =>
    new Response(JSON.stringify(answer), { status, headers: { ...JSON_TYPE, ...headers } });
  const started = { type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } };

  test.each<[story: string, answer: Response, left: Record<string, number>]>([
    [
      'the usage; cache reads are free',
      json(200, { usage }),
      { requests: 49, inputTokens: 29_750, outputTokens: 7_700 },
    ],
    [
      'the usage of a stream',
      new Response(
        events(started, { type: 'message_delta', usage: { output_tokens: 300 } }, { type: 'message_stop' }),
        { headers: SSE },
      ),
      { requests: 49, inputTokens: 29_750, outputTokens: 7_700 },
    ],
    [
      'what was reserved, if a stream does not end',
      new Response(events(started, { type: 'content_block_delta' }), { headers: SSE }),
      { requests: 49, inputTokens: 29_750, outputTokens: 7_900 },
    ],
    [
      'a refusal is a request',
      json(429, { type: 'error' }),
      { requests: 49, inputTokens: 30_000, outputTokens: 8_000 },
    ],
    ['so is an overload', json(529, {}), { requests: 49, inputTokens: 30_000, outputTokens: 8_000 }],
    [
      'what was reserved, after a 500',
      json(500, {}),
      { requests: 49, inputTokens: 29_898, outputTokens: 7_900 },
    ],
  ])('charges %s', async (_, answer, left) => {
    expect(await leftAfter(anthropic(), make(), body, answer)).toEqual(left);
  });

  test('what the server says is left lowers it, rounded as it is', async () => {
    const headers = {
      'anthropic-ratelimit-requests-remaining': '20',
      'anthropic-ratelimit-input-tokens-remaining': '5000',
      'anthropic-ratelimit-output-tokens-remaining': '8000',
    };
    const left = await leftAfter(anthropic(), make(), body, json(200, { usage }, headers));
    expect(left).toMatchObject({ requests: 20, outputTokens: 7_700 });
    expect(left.inputTokens).toBeGreaterThanOrEqual(5_000);
    expect(left.inputTokens).toBeLessThanOrEqual(6_000);
  });

  test('of what is left of a larger account it takes the part that goes with its own limits', async () => {
    const own = make().bucket.stats().units?.outputTokens?.capacity ?? 0;
    const headers = {
      'anthropic-ratelimit-output-tokens-limit': String(8 * own),
      'anthropic-ratelimit-output-tokens-remaining': String(4 * own + 800),
    };
    const left = await leftAfter(anthropic(), make(), body, json(200, { usage }, headers));
    expect(left.outputTokens).toBe(own / 2 + 100);
  });

  test('learns by model', async () => {
    const limits = make();
    await leftAfter(anthropic(), limits, body, json(200, { usage }));
    expect(costOf(limits, body)).toMatchObject({ requests: 1, outputTokens: 300 });
    expect(costOf(limits, { ...body, model: 'other' })).toMatchObject({ requests: 1, outputTokens: 100 });
  });
});

describe('openai', () => {
  const make = () => openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 30_000, clock });

  test.each<[story: string, body: unknown, cost: Costs]>([
    ['the bound', { max_completion_tokens: 700 }, { requests: 1, tokens: 700 }],
    ['as it was called before', { max_tokens: 700 }, { requests: 1, tokens: 700 }],
    ['of responses', { max_output_tokens: 700 }, { requests: 1, tokens: 700 }],
    ['for each choice', { max_tokens: 700, n: 3 }, { requests: 1, tokens: 2_100 }],
    ['what the characters look like', { input: 'x'.repeat(3_988) }, { requests: 1, tokens: 1_000 }],
    ['a request', undefined, { requests: 1 }],
  ])('costs: %s', (_, sent, cost) => {
    expect(costOf(make(), sent)).toEqual(cost);
  });

  test.each<[story: string, answer: Response, left: Record<string, number>]>([
    [
      'all of it, whatever was used',
      new Response('{"usage":{"total_tokens":5}}', { headers: JSON_TYPE }),
      { requests: 499, tokens: 29_000 },
    ],
    ['a refusal is a request', new Response('{}', { status: 429 }), { requests: 499, tokens: 30_000 }],
    [
      'what was reserved, after a 500',
      new Response('{}', { status: 500 }),
      { requests: 499, tokens: 29_000 },
    ],
    [
      'what the server says is left',
      new Response('{}', {
        headers: {
          'x-ratelimit-remaining-requests': '499',
          'x-ratelimit-remaining-tokens': '9000',
          'x-ratelimit-remaining-project-tokens': '8001',
        },
      }),
      { requests: 499, tokens: 8_001 },
    ],
  ])('charges %s', async (_, answer, left) => {
    expect(await leftAfter(openai(), make(), { max_tokens: 1_000 }, answer)).toEqual(left);
  });

  test('where input and bound count together', () => {
    const limits = openaiLimits({ requestsPerMinute: 500, tokensPerMinute: 30_000, counts: 'sum', clock });
    expect(costOf(limits, { max_tokens: 700 })).toEqual({ requests: 1, tokens: 705 });
  });

  test('a request that never fits fails', async () => {
    const fetch = createFetch({ ...openai(), ...make(), clock }, async () => new Response());
    const sent = fetch('https://upstream.test/', { method: 'POST', body: '{"max_tokens":40000}' });
    await expect(sent).rejects.toThrow('tokens');
  });
});

describe('shopify', () => {
  const make = () => shopifyLimits({ pointsPerSecond: 100, maximumPoints: 2_000, clock });
  const url = 'https://shop.test/admin/api/2026-10/graphql.json';
  const body = { query: '{ shop { name } }' };
  const answer = (cost: object, errors?: object) =>
    new Response(JSON.stringify({ data: {}, errors, extensions: { cost } }), { headers: JSON_TYPE });
  const status = (currentlyAvailable: number) => ({
    throttleStatus: { maximumAvailable: 2_000, currentlyAvailable, restoreRate: 100 },
  });

  test.each<[story: string, answer: Response, left: number]>([
    ['what a query has used', answer({ requestedQueryCost: 100, actualQueryCost: 7 }), 1_993],
    [
      'nothing for one that was throttled',
      answer({ requestedQueryCost: 100, actualQueryCost: null }, [{ extensions: { code: 'THROTTLED' } }]),
      2_000,
    ],
    ['nothing for a 429', new Response('', { status: 429 }), 2_000],
    ['what was reserved, without a cost', new Response('{}', { headers: JSON_TYPE }), 1_990],
    [
      'what the server says is left',
      answer({ requestedQueryCost: 100, actualQueryCost: 7, ...status(500) }),
      500,
    ],
  ])('charges %s', async (_, got, points) => {
    expect(await leftAfter(shopify(), make(), body, got, url)).toEqual({ points });
  });

  test('remembers what a text was admitted by', async () => {
    const limits = make();
    expect(costOf(limits, body)).toEqual({ points: 10 });
    await leftAfter(shopify(), limits, body, answer({ requestedQueryCost: 100, actualQueryCost: 7 }), url);
    expect(costOf(limits, { ...body, variables: { id: 1 } })).toEqual({ points: 100 });
    expect(costOf(limits, { query: '{ orders { id } }' })).toEqual({ points: 10 });
    expect(costOf(limits, undefined)).toEqual({ points: 10 });
  });
});

describe('github', () => {
  const make = () => githubLimits({ pointsPerHour: 5_000, pointsPerMinute: 2_000, clock });
  const graphql = 'https://api.github.test/graphql';
  const query = { query: 'query { rateLimit { cost } }' };
  const answer = (cost: number, headers = {}) =>
    new Response(JSON.stringify({ data: { rateLimit: { cost } } }), {
      headers: { ...JSON_TYPE, ...headers },
    });

  test.each<[story: string, method: string, url: string, body: unknown, cost: Costs]>([
    ['a query', 'POST', graphql, query, { hour: 1, minute: 1 }],
    ['a mutation', 'POST', graphql, { query: 'mutation { a }' }, { hour: 1, minute: 5 }],
    ['a GET', 'GET', 'https://api.github.test/user', undefined, { hour: 1, minute: 1 }],
    ['a POST', 'POST', 'https://api.github.test/repos', '{}', { hour: 1, minute: 5 }],
  ])('costs: %s', (_, method, url, body, cost) => {
    expect(costOf(make(), body, url, method)).toEqual(cost);
  });

  test.each<[story: string, url: string, answer: Response, left: Record<string, number>]>([
    ['the cost of a query', graphql, answer(30), { hour: 4_970, minute: 199 }],
    [
      'nothing for what has not changed',
      graphql,
      new Response(null, { status: 304 }),
      { hour: 5_000, minute: 199 },
    ],
    ['a request', 'https://api.github.test/a', answer(30), { hour: 4_999, minute: 195 }],
    [
      'what the server says is left',
      graphql,
      answer(1, { 'x-ratelimit-remaining': '80', 'x-ratelimit-resource': 'graphql' }),
      { hour: 80, minute: 199 },
    ],
    [
      'not of another resource',
      graphql,
      answer(1, { 'x-ratelimit-remaining': '80', 'x-ratelimit-resource': 'search' }),
      { hour: 4_999, minute: 199 },
    ],
  ])('charges %s', async (_, url, got, left) => {
    expect(await leftAfter(github(), make(), query, got, url)).toEqual(left);
  });

  test('remembers what a query has cost', async () => {
    const limits = make();
    await leftAfter(github(), limits, query, answer(30), graphql);
    expect(costOf(limits, query, graphql)).toEqual({ hour: 30, minute: 1 });
  });
});

describe('what is wrong', () => {
  test.each<[make: () => unknown, message: string]>([
    [() => openaiLimits({ requestsPerMinute: 1 } as never), 'openaiLimits: tokensPerMinute must be'],
    [
      () => openaiLimits({ requestsPerMinute: 0, tokensPerMinute: 1 }),
      'openaiLimits: requestsPerMinute must be',
    ],
    [
      () => openaiLimits({ requestsPerMinute: 1, tokensPerMinute: 1, rpm: 1 } as never),
      'openaiLimits has no option "rpm"',
    ],
    [
      () => anthropicLimits({ requestsPerMinute: 1 } as never),
      'anthropicLimits: inputTokensPerMinute must be',
    ],
    [
      () =>
        anthropicLimits({
          requestsPerMinute: 1,
          inputTokensPerMinute: 1,
          outputTokensPerMinute: 1,
          quantile: 2,
        }),
      'anthropicLimits: quantile must be',
    ],
    [() => shopifyLimits({ pointsPerSecond: 1, maximumPoints: -1 }), 'shopifyLimits: maximumPoints must be'],
    [
      () => githubLimits({ pointsPerHour: 1, pointsPerMinute: 1, resource: 5 } as never),
      'githubLimits: resource must be',
    ],
  ])('%s', (make, message) => {
    expect(make).toThrow(message);
  });
});
