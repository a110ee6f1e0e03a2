import { constant, createPolicy, type EbbEvent } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import type { AdapterUnderTest } from './adapter.ts';
import { check, difference } from './difference.ts';
import type { Ability } from './row.ts';
import { type StartUpstream, type Step, up } from './step.ts';

/** A row about the connections of many calls. */
interface ConnectionRow {
  readonly name: string;
  readonly needs: readonly Ability[];
  run(adapter: AdapterUnderTest, start: StartUpstream): Promise<void>;
}

const down: Step = { status: 503, body: 'x'.repeat(65_536) };
const isUp = { status: 200, body: 'up' };
const needs = ['pool', 'sockets'] as const;
// In virtual time no body takes too long to drain.
const atOnce = () => createPolicy({ backoff: constant(0), clock: virtualClock({ startMs: 0 }) });

/** Retries must not cost connections. */
export const connectionRows: readonly ConnectionRow[] = [
  {
    name: '50 sequential calls that each get two 503s of 64 KiB use one connection',
    needs,
    async run(adapter, start) {
      const server = await start(Array.from({ length: 50 }, () => [down, down, up]).flat());
      const client = adapter.client(atOnce(), { connections: 8 });
      try {
        for (let call = 0; call < 50; call += 1) {
          check([difference(`call ${call}`, await client.send(server.url, {}), isUp)]);
          // Some clients free a connection only in the turn after the response, with or without ebb.
          await nextTurn();
        }
      } finally {
        await client.close?.();
        await server.close();
      }
      check([
        difference('requests received', server.seen.length, 150),
        difference('connections', server.connections(), 1),
      ]);
    },
  },
  {
    name: '20 concurrent calls over one connection all succeed',
    needs,
    async run(adapter, start) {
      const server = await start([...Array.from({ length: 20 }, () => down), up]);
      const client = adapter.client(atOnce(), { connections: 1 });
      try {
        const got = await Promise.all(Array.from({ length: 20 }, () => client.send(server.url, {})));
        check(got.map((one, call) => difference(`call ${call}`, one, isUp)));
      } finally {
        await client.close?.();
        await server.close();
      }
      check([difference('connections', server.connections(), 1)]);
    },
  },
  {
    name: 'a 503 that never ends does not block the only connection',
    needs,
    async run(adapter, start) {
      const clock = virtualClock({ startMs: 0 });
      // Who settles with the whole body needs a limit for the attempt. The others drain it for at most one second.
      const attemptTimeoutMs = adapter.does?.includes('wholeBodies') ? 100 : undefined;
      const server = await start(['endless-503', up], () => clock.tick(attemptTimeoutMs ?? 0));
      const onEvent = ({ type }: EbbEvent): void => {
        if (type === 'retry' && attemptTimeoutMs === undefined) void clock.advance(1_000);
      };
      const policy = createPolicy({ backoff: constant(0), clock, attemptTimeoutMs, onEvent });
      const client = adapter.client(policy, { connections: 1 });
      try {
        check([difference('the call', await client.send(server.url, {}), isUp)]);
        check([difference('timers left', clock.pending, 0)]);
      } finally {
        await client.close?.();
        await server.close();
      }
    },
  },
];
