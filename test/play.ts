// Imported by what runs in browsers: nothing of Node's stands here.
import { createPolicy, type EbbEvent, type Policy } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import type { VirtualClock } from '@ebb/core/testing';
import type { Scenario, Sent } from './scenarios.ts';

/** What a caller gets, in terms that the clients share. */
export interface Got {
  readonly status: number;
  readonly body: string;
}

/** A client with a policy in it. Rejects as the client itself does, but for axios's errors that hold a response. */
export interface Client {
  send(url: string, sent: Sent): Promise<Got>;
  close(): Promise<void>;
}

/** What came of a scenario, as far as the client's side can tell. */
export interface Run {
  readonly delays: readonly number[];
  readonly reason: string | undefined;
  readonly got: Got | undefined;
  /** What the clock still has to do when all is over: nothing, or something is forgotten. */
  readonly pending: number;
}

/** An instant that the dates of the table lie around. */
export const NOW: number = Date.UTC(2026, 10, 21, 12, 0, 0);

/** Sends the scenario's request, and lets virtual time pass whenever the policy waits. */
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
