import { constant, createPolicy, type EbbEvent } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { clients } from './clients.ts';
import { type Step, upstream } from './server.ts';

const down: Step = { status: 503, body: 'x'.repeat(65_536) };
const up: Step = { status: 200, body: 'up' };

describe.each(Object.entries(clients))('%s', (name, makeClient) => {
  // In virtual time no body takes too long to drain.
  const policy = createPolicy({ backoff: constant(0), clock: virtualClock({ startMs: 0 }) });

  test('200 sequential calls that each get two 503s of 64 KiB use one connection', async () => {
    const server = await upstream(Array.from({ length: 200 }, () => [down, down, up]).flat());
    const client = makeClient(policy, { connections: 8 });
    for (let call = 0; call < 200; call += 1) {
      expect(await client.send(server.url, {})).toEqual({ status: 200, body: 'up' });
      // Some clients free a connection only in the turn after the response, with or without ebb.
      await nextTurn();
    }
    expect(server.seen).toHaveLength(600);
    expect(server.connections()).toBe(1);
    await client.close();
    await server.close();
  });

  test('20 concurrent calls over one connection all succeed', async () => {
    const server = await upstream([...Array.from({ length: 20 }, () => down), up]);
    const client = makeClient(policy, { connections: 1 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => client.send(server.url, {})));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(server.connections()).toBe(1);
    await client.close();
    await server.close();
  });

  test('a 503 that never ends does not block the only connection', async () => {
    const server = await upstream(['endless-503', up]);
    const clock = virtualClock({ startMs: 0 });
    // axios resolves only when the body has ended, so it needs an attempt timeout. With the others ebb drains the body
    // for at most one second.
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
