import { createPolicy, type Policy } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/fetch/hedged';
import { suite } from '@ebb/testing';
import { hedge } from '@ebb/undici/hedge';
import { HttpResponse } from 'msw';
import { Agent, request } from 'undici';
import { Agent as NodeFetchAgent } from 'undici7';
import { describe, expect, test } from 'vitest';
import { fetchClient } from './fetch-client.ts';
import { mock, mockBehindServer } from './msw.ts';
import { traits } from './traits.ts';
import { undiciClient } from './undici-client.ts';

/** An agent that hedges below what is composed with it. */
function hedging(policy: Policy, more: object = {}): typeof Agent {
  return class extends Agent {
    override compose(...interceptors: never[]) {
      return super.compose(hedge({ policy, ...more }), ...interceptors);
    }
  } as typeof Agent;
}

// Whether a request may be hedged is not to be seen in anything else: with a delay that is not known there is no hedge.
suite(
  { describe, test },
  {
    ...traits.fetch,
    name: 'fetch over hedged, over sockets',
    client: (policy, limits) => {
      const agent = new NodeFetchAgent(limits ?? {});
      const client = fetchClient(policy, { dispatcher: agent }, hedged(fetch, { policy }));
      return { ...client, close: () => agent.close() };
    },
  },
);
suite(
  { describe, test },
  {
    ...traits.undici,
    name: 'undici over hedge, over sockets',
    client: (policy, limits) => undiciClient({ Agent: hedging(policy), request }, policy, limits),
  },
);

describe.each([
  ['fetch', mock],
  ['undici', mockBehindServer],
] as const)('%s over MSW', (name, over) => {
  test('the hedge of a request that hangs gets its response', async () => {
    const clock = virtualClock();
    const policy = createPolicy({ maxRetries: 0, clock });
    let sends = 0;
    const mocked = await over(async () => {
      sends += 1;
      if (sends > 1) return HttpResponse.text('from the hedge');
      void clock.advance(10);
      return new Promise<never>(() => undefined);
    });
    const options = { delayMs: 10 };
    const send = async (): Promise<string> => {
      if (name === 'fetch')
        return (await createFetch(policy, hedged(fetch, { policy, ...options }))(mocked.url)).text();
      const dispatcher = new (hedging(policy, options))().compose();
      return (await request(mocked.url, { dispatcher })).body.text();
    };
    expect(await send()).toBe('from the hedge');
    expect(sends).toBe(2);
    await mocked.close?.();
  });
});
