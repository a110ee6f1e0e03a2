import { createPolicy, type EbbEvent } from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { type Client, clients, type Got, type MakeClient } from './clients.ts';
import { type Mocked, mock, mockBehindServer } from './msw.ts';
import { type ClientName, type Scenario, scenarios } from './scenarios.ts';
import { type Upstream, upstream } from './server.ts';

/** An instant that the dates of the table lie around. */
const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

interface Run {
  readonly delays: readonly number[];
  readonly reason: string | undefined;
  readonly got: Got | undefined;
  readonly pending: number;
}

/** Sends the scenario's request, and lets virtual time pass whenever the policy waits. */
async function play(
  scenario: Scenario,
  makeClient: MakeClient,
  clock: VirtualClock,
  url: string,
): Promise<Run> {
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => {
    events.push(event);
    if (event.type === 'retry') setImmediate(() => clock.advance(event.delayMs));
  };
  const client: Client = makeClient(createPolicy({ random: () => 0, clock, onEvent, ...scenario.policy }));
  const got = await client.send(url, scenario.request ?? {}).catch(() => undefined);
  await client.close();
  const end = events.at(-1);
  return {
    delays: events.flatMap((event) => (event.type === 'retry' ? [event.delayMs] : [])),
    reason: end?.type === 'end' ? end.reason : undefined,
    got,
    pending: clock.pending,
  };
}

/** The row as it is for one of the clients. */
function forClient(scenario: Scenario, name: string): Scenario {
  return { ...scenario, ...scenario.but?.[name as ClientName] };
}

function judge(scenario: Scenario, run: Run, seen: Mocked['seen'] | undefined): void {
  const { delays, hits, status, body, bodies, reason } = scenario;
  expect({ ...run, hits: seen?.length ?? 0 }).toMatchObject({ delays, reason, hits, pending: 0 });
  expect(run.got?.status).toBe(status);
  if (body !== undefined) expect(run.got?.body).toBe(body);
  if (bodies !== undefined) expect(seen?.map((request) => request.body)).toEqual(bodies);
}

describe.each(Object.entries(clients))('%s', (name, makeClient) => {
  const rows = scenarios.map((scenario) => forClient(scenario, name));

  describe('over real sockets', () => {
    test.each(rows.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
      const clock = virtualClock({ startMs: NOW });
      const server: Upstream = await upstream(scenario.script === 'refused' ? [] : scenario.script);
      server.onHang = () => clock.tick(scenario.policy?.attemptTimeoutMs ?? 0);
      if (scenario.script === 'refused') await server.close();
      const run = await play(scenario, makeClient, clock, server.url);
      if (scenario.script !== 'refused') await server.close();
      judge(scenario, run, server.seen);
    });
  });

  describe('over MSW', () => {
    const mocked = rows.filter((scenario) => !scenario.socketsOnly);
    test.each(mocked.map((scenario) => [scenario.name, scenario] as const))('%s', async (_, scenario) => {
      if (scenario.script === 'refused') throw new Error('a refused connection cannot be mocked');
      const clock = virtualClock({ startMs: NOW });
      const server = await (name === 'undici' ? mockBehindServer : mock)(scenario.script);
      const run = await play(scenario, makeClient, clock, server.url);
      await server.close();
      judge(scenario, run, server.seen);
    });
  });
});
