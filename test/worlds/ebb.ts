import {
  type Costs,
  constant,
  type PolicyOptions,
  quotaBucket,
  type RequestTraits,
  serverFeedback,
  tokenBucket,
} from '@ebb/core';
import type { VirtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { anthropic, anthropicLimits, costFromResponse, openai, openaiLimits } from '@ebb/providers';
import { ACCOUNT, type Client } from './world.ts';

/** A client of a policy. Its options are those of one process. */
function ebb(optionsOf: (clock: VirtualClock) => PolicyOptions): Client {
  return (send, { clock, random }) => {
    const options = { ...optionsOf(clock), clock, random, backoff: constant(1_000) };
    const fetch = createFetch(options, (_, init) => send(String(init?.body)));
    return (body) => fetch('https://upstream.test/v1/messages', { method: 'POST', body });
  };
}

/** @param part of the account that the process has */
export function ofAnthropic(part = 1): Client {
  return ebb((clock) => ({
    ...anthropic(),
    ...anthropicLimits({
      requestsPerMinute: ACCOUNT.requests * part,
      inputTokensPerMinute: ACCOUNT.input * part,
      outputTokensPerMinute: ACCOUNT.output * part,
      clock,
    }),
  }));
}

export function ofOpenai(): Client {
  return ebb((clock) => ({
    ...openai(),
    ...openaiLimits({ requestsPerMinute: ACCOUNT.requests, tokensPerMinute: ACCOUNT.output, clock }),
  }));
}

interface Usage {
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

const reservedBy = ({ body }: RequestTraits): number =>
  // At most what the server counts: it has 4.2 characters to a token.
  Math.ceil(String(body).length / 4.2) + (JSON.parse(String(body)) as { max_tokens: number }).max_tokens;

async function usedOf(response: {
  readonly status: number;
  json(): Promise<unknown>;
}): Promise<number | undefined> {
  if (response.status === 429) return 0;
  const { usage } = ((await response.json()) ?? {}) as Usage;
  return usage && usage.inputTokens + usage.outputTokens;
}

/** Reserves what the server reserves, in requests and tokens. */
export function ofBedrock(): Client {
  return ebb((clock) => ({
    methods: 'all',
    bucket: quotaBucket({
      limits: {
        requests: { refillPerSecond: ACCOUNT.requests / 60, capacity: ACCOUNT.requests },
        tokens: { refillPerSecond: ACCOUNT.output / 60, capacity: ACCOUNT.output, chargeOn: 'completion' },
      },
      clock,
    }),
    cost: (request): Costs => ({ requests: 1, tokens: reservedBy(request) }),
    actualCost: costFromResponse(async (response) => {
      const tokens = await usedOf(response);
      return tokens === undefined ? undefined : { tokens };
    }),
  }));
}

/** The same with a bucket of tokens alone, which holds so much of a minute. */
export function ofTokens(minutes: number, settled: boolean): Client {
  const rate = { refillPerSecond: ACCOUNT.output / 60, capacity: ACCOUNT.output * minutes };
  return ebb((clock) => ({
    methods: 'all',
    bucket: settled
      ? quotaBucket({ limits: { tokens: { ...rate, chargeOn: 'completion' } }, clock })
      : tokenBucket({ ...rate, feedback: serverFeedback, clock }),
    cost: reservedBy,
    actualCost: costFromResponse(usedOf),
  }));
}
