import { constant, createPolicy } from '@ebb/core';
import { systemClock } from '@ebb/core/adapter';
import { type StoreClient, valkeyBudget } from '@ebb/valkey';
import { describe, expect, test } from 'vitest';
import { budgetModel } from '../packages/valkey/test/budget-model.ts';
import { clients } from './clients.ts';
import { upstream } from './server.ts';

/** A store that replies in the next turn, and whose key was made an hour ago. */
function storeWith(retries: number): { client: StoreClient; left: () => number } {
  const nowUs = (): number => Math.floor(systemClock.now() * 1_000) - 1_735_689_600e6;
  let text = [1e6, nowUs() - 3.6e9, nowUs(), retries * 1e6, 0, 0, ...new Array(10).fill(0)].join(' ');
  const run = async (_: string, __: string, args: readonly string[]): Promise<unknown> => {
    const reply = budgetModel(text, args, nowUs());
    text = reply.text ?? text;
    return reply.reply;
  };
  return { client: { evalsha: run, eval: run }, left: () => Number(text.split(' ')[3]) / 1e6 };
}

describe.each(Object.entries(clients))('%s draws on a shared budget', (_, makeClient) => {
  test.each([
    { retries: 5, status: 200, left: 5 - 1 + 0.2 },
    { retries: 0, status: 503, left: 0 },
  ])('of $retries retries', async ({ retries, status, left }) => {
    const server = await upstream([{ status: 503 }, { status: 200 }]);
    const store = storeWith(retries);
    const budget = valkeyBudget({ client: store.client, key: 'k', ratio: 0.2, reserve: 5 });
    const client = makeClient(createPolicy({ budget, backoff: constant(0) }));
    const got = await client.send(server.url, {});
    expect(got.status).toBe(status);
    expect(server.seen.length).toBe(status === 200 ? 2 : 1);
    await client.close();
    await server.close();
    await budget.close();
    expect(budget.stats()).toMatchObject({ mode: 'shared', leased: 0 });
    // Leased retries that were not spent are returned.
    expect(store.left()).toBeCloseTo(left, 5);
  });
});
