import { constant, type PolicyOptions } from '@ebb/core';
import { anthropic, anthropicLimits, openai, openaiLimits } from '@ebb/core/presets';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { describe, expect, test } from 'vitest';

/** Numbers that look like chance, and are the same in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A quota of a server, which refills continuously and can be overdrawn. */
class Quota {
  level: number;
  used = 0;
  #atMs: number;
  readonly #clock: VirtualClock;
  readonly #aMinute: number;

  constructor(clock: VirtualClock, aMinute: number) {
    this.#clock = clock;
    this.#aMinute = aMinute;
    this.#atMs = clock.now();
    this.level = aMinute;
  }

  has(tokens: number): boolean {
    const nowMs = this.#clock.now();
    this.level = Math.min(this.#aMinute, this.level + ((nowMs - this.#atMs) * this.#aMinute) / 60_000);
    this.#atMs = nowMs;
    // As exact as a number is.
    return this.level >= tokens - 1e-6;
  }

  take(tokens: number): void {
    this.has(0);
    this.level -= tokens;
    this.used += tokens;
  }
}

const ACCOUNT = { requests: 1_000, input: 400_000, output: 80_000 };
const MINUTES = 6;
const MAX_TOKENS = 4_096;

interface World {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly requests: Quota;
  readonly input: Quota;
  readonly output: Quota;
}

/** An answer of lognormal length, with a median of 300 tokens. */
function lengthOf({ random }: World): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(MAX_TOKENS, Math.ceil(300 * Math.exp(0.8 * normal)));
}

const json = (status: number, body: object, headers = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });

/** Runs callers that send one request after the other, and counts what the server has seen. */
async function run(
  serve: (world: World, body: string) => Promise<Response>,
  optionsOf: (clock: VirtualClock) => PolicyOptions,
  hasStranger = false,
): Promise<{ refused: number; sent: number; world: World }> {
  const clock = virtualClock({ startMs: 0 });
  const world: World = {
    clock,
    random: randomFrom(7),
    requests: new Quota(clock, ACCOUNT.requests),
    input: new Quota(clock, ACCOUNT.input),
    output: new Quota(clock, ACCOUNT.output),
  };
  let sent = 0;
  let refused = 0;
  const fetch = createFetch(
    { ...optionsOf(clock), clock, random: world.random, backoff: constant(1_000) },
    async (_, init) => {
      sent += 1;
      await clock.sleep(50 + world.random() * 150);
      const response = await serve(world, String(init?.body));
      await clock.sleep(50 + world.random() * 150);
      if (response.status === 429) refused += 1;
      return response;
    },
  );
  const caller = async (): Promise<never> => {
    for (;;) {
      const content = 'word '.repeat(40 + Math.floor(world.random() * 400));
      const body = JSON.stringify({
        model: 'm',
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content }],
      });
      const response = await fetch('https://upstream.test/v1/messages', { method: 'POST', body });
      await response.text();
    }
  };
  /** Asks for about half of the output, whatever the server says. */
  const stranger = async (): Promise<never> => {
    for (;;) {
      void serve(world, JSON.stringify({ messages: [{ content: 'word '.repeat(240) }] }));
      await clock.sleep(650);
    }
  };
  for (let left = 100; left > 0; left -= 1) void caller();
  if (hasStranger) void stranger();
  await clock.advance(MINUTES * 60_000);
  return { refused, sent, world };
}

/** Charges output as it is written, 80 tokens a second; input at the beginning. */
async function likeAnthropic(world: World, body: string): Promise<Response> {
  const input = Math.ceil(body.length / 4.2);
  const { requests, input: inputs, output } = world;
  const left = () => ({
    'anthropic-ratelimit-requests-remaining': String(Math.max(0, Math.floor(requests.level))),
    'anthropic-ratelimit-input-tokens-remaining': String(
      Math.max(0, Math.round(inputs.level / 1_000) * 1_000),
    ),
    'anthropic-ratelimit-output-tokens-remaining': String(
      Math.max(0, Math.round(output.level / 1_000) * 1_000),
    ),
  });
  if (!(requests.has(1) && inputs.has(input) && output.has(0)))
    return json(429, {}, { 'retry-after': '2', ...left() });
  requests.take(1);
  inputs.take(input);
  const length = lengthOf(world);
  for (let written = 0; written < length; written += 80) {
    await world.clock.sleep(1_000);
    output.take(Math.min(80, length - written));
  }
  return json(200, { usage: { input_tokens: input, output_tokens: length } }, left());
}

/** Reserves the bound at the beginning, and keeps it. */
async function likeOpenai(world: World): Promise<Response> {
  const { requests, output } = world;
  const left = () => ({
    'x-ratelimit-remaining-requests': String(Math.max(0, Math.floor(requests.level))),
    'x-ratelimit-remaining-tokens': String(Math.max(0, Math.floor(output.level))),
  });
  requests.has(1);
  requests.take(1);
  if (!output.has(MAX_TOKENS)) return json(429, {}, { 'retry-after': '1', ...left() });
  output.take(MAX_TOKENS);
  const said = left();
  await world.clock.sleep(1_000 + world.random() * 9_000);
  return json(200, { usage: { completion_tokens: 100 } }, said);
}

const most = (aMinute: number) => aMinute * (MINUTES + 1);

describe('the quota of an account is used, and no request is refused', () => {
  const ofAnthropic = (clock: VirtualClock) => ({
    ...anthropic(),
    ...anthropicLimits({
      requestsPerMinute: ACCOUNT.requests,
      inputTokensPerMinute: ACCOUNT.input,
      outputTokensPerMinute: ACCOUNT.output,
      clock,
    }),
  });

  test('where output is charged as it is written', async () => {
    const { refused, sent, world } = await run(likeAnthropic, ofAnthropic);
    expect(refused / sent).toBeLessThanOrEqual(0.001);
    expect(world.output.used / most(ACCOUNT.output)).toBeGreaterThan(0.95);
  });

  test('where a stranger takes half of it', async () => {
    const { refused, sent, world } = await run(likeAnthropic, ofAnthropic, true);
    expect(refused / sent).toBeLessThanOrEqual(0.001);
    expect(world.output.used / most(ACCOUNT.output)).toBeGreaterThan(0.98);
  });

  test('where the bound is reserved', async () => {
    const { refused, sent, world } = await run(likeOpenai, (clock) => ({
      ...openai(),
      ...openaiLimits({ requestsPerMinute: ACCOUNT.requests, tokensPerMinute: ACCOUNT.output, clock }),
    }));
    expect(refused / sent).toBeLessThanOrEqual(0.001);
    // An answer says what was left when its request came: what has come in since then is lost.
    expect(world.output.used / most(ACCOUNT.output)).toBeGreaterThan(0.9);
  });
});
