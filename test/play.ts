// Also runs in browsers: imports nothing from Node.
import { createPolicy, type EbbEvent, type Policy } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { VirtualClock } from '@ebb/core/testing';
import type { Scenario, Sent } from './scenarios.ts';

/** What the caller of any client gets. */
export interface Got {
  readonly status: number;
  readonly body: string;
}

/** A client with ebb. Rejects as the client itself does, except that axios's errors with a response resolve. */
export interface Client {
  send(url: string, sent: Sent): Promise<Got>;
  close(): Promise<void>;
}

/** The result of a scenario on the client's side. */
export interface Run {
  readonly delays: readonly number[];
  readonly reason: string | undefined;
  readonly got: Got | undefined;
  /** How many timers of the clock are left at the end; any is a leak. */
  readonly pending: number;
}

/** When every scenario starts; the dates in the table are relative to it. */
export const NOW: number = Date.UTC(2026, 10, 21, 12, 0, 0);

/** Sends the scenario's request, and advances virtual time by each delay. */
export async function play(
  scenario: Scenario,
  makeClient: (policy: Policy) => Client,
  clock: VirtualClock,
  url: string,
): Promise<Run> {
  const events: EbbEvent[] = [];
  const onEvent = (event: EbbEvent): void => {
    events.push(event);
    if (event.type === 'retry') void nextTurn().then(() => clock.advance(event.delayMs));
  };
  const client = makeClient(createPolicy({ random: () => 0, clock, onEvent, ...scenario.policy }));
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
