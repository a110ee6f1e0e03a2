import { constant, createPolicy, type EbbEvent } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { clients } from './clients.ts';
import { type Step, upstream } from './server.ts';

const down: Step = { status: 503, body: 'x'.repeat(65_536) };
const up: Step = { status: 200, body: 'up' };

describe.each(Object.entries(clients))('%s', (name, makeClient) => {
  // In virtual time: none is ever too slow in what it drains.
  const policy = createPolicy({ backoff: constant(0), clock: virtualClock() });

  test('200 calls that each meet two 503s of 64 KiB, one after the other, take one connection', async () => {
    const server = await upstream(Array.from({ length: 200 }, () => [down, down, up]).flat());
    const client = makeClient(policy, { connections: 8 });
    for (let call = 0; call < 200; call += 1) {
      expect(await client.send(server.url, {})).toEqual({ status: 200, body: 'up' });
      // Some clients free a connection in the turn after a response; bare or not, a call in this one opens another.
      await nextTurn();
    }
    expect(server.seen).toHaveLength(600);
    expect(server.connections()).toBe(1);
    await client.close();
    await server.close();
  });

  test('twenty calls at once over a single connection all come through', async () => {
    const server = await upstream([...Array.from({ length: 20 }, () => down), up]);
    const client = makeClient(policy, { connections: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.send(server.url, {})));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(server.connections()).toBe(1);
    await client.close();
    await server.close();
  });

  test('a 503 that never ends does not hold a single connection', async () => {
    const server = await upstream(['endless-503', up]);
    const clock = virtualClock();
    // axios answers only when a body has ended, and so needs a limit to its attempts; the others have answered, and
    // drain the body for a second at most.
    const attemptTimeoutMs = name === 'axios' ? 100 : undefined;
    if (attemptTimeoutMs !== undefined) server.onHang = () => clock.tick(attemptTimeoutMs);
    const onEvent = ({ type }: EbbEvent): void => {
      if (type === 'retry' && attemptTimeoutMs === undefined) void clock.advance(1_000);
    };
    const endless = createPolicy({ backoff: constant(0), clock, attemptTimeoutMs, onEvent });
    const client = makeClient(endless, { connections: 1 });
    expect(await client.send(server.url, {})).toEqual({ status: 200, body: 'up' });
    expect(clock.pending).toBe(0);
    await client.close();
    await server.close();
  });
});
