import { readFileSync } from 'node:fs';
import {
  attemptsOf,
  constant,
  createPolicy,
  inspectBody,
  type Outcome,
  type PolicyOptions,
  serverFeedback,
} from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import {
  anthropic,
  aws,
  azure,
  cloudflare,
  github,
  google,
  openai,
  shopify,
  slack,
  stripe,
} from '@ebb/providers';
import { describe, expect, test } from 'vitest';

/** A quota that a response tells of. */
interface Unit {
  readonly unit: string;
  readonly remaining: number;
  readonly limit?: number;
  readonly fullInMs?: number;
}

/** An example response, and what it means; see the fields of the file. */
interface Answer {
  readonly id: string;
  readonly provider: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly cost?: { readonly tokens: number };
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly sse?: string;
  readonly meaning: {
    readonly verdict: string;
    readonly waitMs: number | null;
    readonly postAgain?: boolean;
    readonly units?: readonly Unit[];
  };
}

const { answers } = JSON.parse(
  readFileSync(new URL('data/provider-answers.json', import.meta.url), 'utf8'),
) as { readonly answers: readonly Answer[] };

const named = answers.map((answer) => [answer.id, answer] as const);

/** An hour behind that of the server: the waits must not depend on it. */
const START_MS = Date.UTC(2026, 10, 21, 21);

/** By the name of the provider. */
const byName: Readonly<Record<string, () => PolicyOptions>> = {
  anthropic,
  aws,
  azure,
  cloudflare,
  github,
  google,
  openai,
  shopify,
  slack,
  stripe,
};

function presetOf({ provider }: Answer): PolicyOptions {
  return byName[provider]?.() ?? {};
}

function bodyOf({ body, sse }: Answer): string {
  return sse ?? (typeof body === 'string' ? body : JSON.stringify(body));
}

/** Sends a request that gets this response and then a 200, through a client with the preset of the provider. */
async function send(answer: Answer, options: PolicyOptions = presetOf(answer)) {
  const clock = virtualClock({ startMs: START_MS });
  const { method, path, headers, cost } = answer.request;
  const responses = [
    new Response(bodyOf(answer), { status: answer.status, headers: answer.headers }),
    new Response('{}'),
  ];
  const policy = createPolicy({
    ...options,
    clock,
    random: () => 0,
    backoff: constant(0),
    cost: cost?.tokens ?? 1,
  });
  const fetch = createFetch(policy, async () => responses.shift() ?? expect.fail('a third attempt'));
  const sent = fetch(`https://upstream.test${path}`, {
    method,
    ...(headers && { headers }),
    ...(method !== 'GET' && { body: '{}' }),
  });
  // Longer than the longest wait that is waited for.
  await clock.advance(700_000);
  const response = await sent;
  const [first, second] = attemptsOf(response);
  return { response, reason: first?.reason, waitedMs: second?.delayMs, hasRetried: second !== undefined };
}

/**
 * Waits that are shorter than those of the file, which asks for the largest of all that are told: `retry-after-ms` is the
 * exact wait, of which a `Retry-After` of less than a second more is the rounding.
 */
const ROUNDED: Readonly<Record<string, number>> = { 'openai-429-ms': 350, 'azure-openai-429': 5_480 };

describe('each response means to a preset what it means to the provider', () => {
  test.each(named)('%s', async (id, answer) => {
    const { verdict, waitMs, postAgain } = answer.meaning;
    const { response, reason, waitedMs, hasRetried } = await send(answer);
    // The only end that a request has for its own sake, and not for that of the response.
    expect(reason === 'not-idempotent' ? 'transient' : reason).toBe(verdict);
    if (postAgain !== undefined) expect(hasRetried).toBe(postAgain);
    if (hasRetried) expect(waitedMs).toBeCloseTo(ROUNDED[id] ?? waitMs ?? 0, 6);
    else expect(await response.text()).toBe(bodyOf(answer));
  });

  test('there are responses of every preset', () => {
    const providers = new Set(answers.map(({ provider }) => provider));
    expect([...providers].sort()).toEqual([...Object.keys(byName), 'any'].sort());
    expect(answers).toHaveLength(64);
  });
});

describe('a 202 with Retry-After', () => {
  const polling = answers.find(({ id }) => id === 'any-202-polling') as Answer;

  test('is a success', async () => {
    expect(await send(polling)).toMatchObject({ reason: 'success', hasRetried: false });
  });

  test('is asked again after its wait, if `inspect` says so', async () => {
    const inspect = inspectBody(({ status }) => (status === 202 ? { verdict: 'transient' } : undefined));
    expect(await send(polling, { inspect })).toMatchObject({ reason: 'transient', waitedMs: 5_000 });
  });
});

describe('quotas', () => {
  /** Not told by fields that core reads, but by the body, or by fields of one service. */
  const UNREAD = new Set(['azure-arm-429', 'shopify-200-throttled', 'shopify-200-cost', 'shopify-429-rest']);
  const told = answers.filter(({ meaning }) => meaning.units !== undefined);

  function read({ status, headers, request }: Answer) {
    const outcome: Outcome = { type: 'response', status, header: (name) => headers[name] };
    return serverFeedback(outcome, START_MS, request.cost?.tokens);
  }

  test.each(told.map((answer) => [answer.id, answer] as const))('the rest in %s', (id, answer) => {
    const rests = answer.meaning.units?.map(({ remaining }) => remaining) ?? [];
    expect(read(answer)?.remaining).toBe(UNREAD.has(id) ? undefined : Math.min(...rests));
  });

  test.each(told.filter(({ status }) => status === 200).map((answer) => [answer.id, answer] as const))(
    'a pause after %s only if one is used up',
    (_, answer) => {
      const ends = answer.meaning.units?.map(({ remaining, fullInMs = 0 }) => (remaining > 0 ? 0 : fullInMs));
      expect(read(answer)?.pauseMs ?? 0).toBe(Math.max(...(ends ?? [])));
    },
  );

  test('a quota that refills is waited for as long as the request needs', () => {
    const answer = answers.find(({ id }) => id === 'openai-429-tokens-cost') as Answer;
    expect(read(answer)).toMatchObject({ remaining: 500, waitMs: 2_000 });
  });
});

describe('the body of an ordinary 200', () => {
  const ordinary = ['openai', 'anthropic', 'google', 'azure', 'stripe', 'cloudflare'] as const;

  test.each(ordinary)('is not read with the preset %s', async (name) => {
    const response = new Response('{"id":1}', { headers: { 'content-type': 'application/json' } });
    response.clone = () => expect.fail('the body was opened');
    const fetch = createFetch(createPolicy(byName[name]?.()), async () => response);
    const got = await fetch('https://upstream.test/v1/things', { method: 'POST', body: '{}' });
    expect(await got.json()).toEqual({ id: 1 });
  });
});
