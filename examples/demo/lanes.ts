import { detailsOf, type EbbEvent, type ReportedOutcome, type StopReason } from '@ebb/core';
import { retryAfterMs } from '@ebb/core/adapter';

/** What a request is doing: waiting for a token, for Retry-After or for the backoff rule; sent; or ended. */
export type State = 'token' | 'asked' | 'backoff' | 'sent' | 'ended';

/** The history of one request, from the policy's events. Times are those of the policy's clock. */
export interface Lane {
  readonly label: string;
  readonly client: string;
  /** In order of time. The states after a wait are added when the wait begins. */
  readonly states: { readonly atMs: number; readonly state: State }[];
  /** The outcome of each attempt. */
  readonly outcomes: { readonly atMs: number; readonly outcome: ReportedOutcome }[];
  attempts: number;
  waitedMs: number;
  /** Whether the next attempt had to wait for a token. */
  waited: boolean;
  end: StopReason | undefined;
}

export function newLane(client: string, name: string, atMs: number): Lane {
  const states = [{ atMs, state: 'token' as const }];
  const label = `${client} ${name}`;
  return { label, client, states, outcomes: [], attempts: 0, waitedMs: 0, waited: false, end: undefined };
}

/** Adds an event of its request to the lane. */
export function follow(lane: Lane, event: EbbEvent): void {
  const { atMs } = event;
  const next = (state: State, afterMs = 0): void => void lane.states.push({ atMs: atMs + afterMs, state });
  switch (event.type) {
    case 'attempt':
      lane.attempts = event.attempt;
      // Without a wait event, the time since the end of the wait was a late timer, not a wait for a token.
      if (!lane.waited && lane.states.at(-1)?.state === 'token') lane.states.pop();
      lane.waited = false;
      next('sent');
      break;
    case 'wait':
      lane.waitedMs += event.waitedMs;
      lane.waited = true;
      break;
    case 'retry': {
      const { outcome, delayMs } = event;
      lane.outcomes.push({ atMs, outcome });
      lane.waitedMs += delayMs;
      // The wait starts with Retry-After; the rest is backoff or jitter.
      const askedMs = askedIn(event);
      if (askedMs > 0) next('asked');
      next('backoff', Math.min(askedMs, delayMs));
      next('token', delayMs);
      break;
    }
    case 'end':
      if (event.outcome !== undefined) lane.outcomes.push({ atMs, outcome: event.outcome });
      lane.end = event.reason;
      next('ended');
  }
}

/** The Retry-After of an event's response, in ms; 0 without one. */
export function askedIn(event: EbbEvent): number {
  const outcome = detailsOf(event)?.outcome;
  return (outcome && retryAfterMs(outcome, event.atMs)) ?? 0;
}

/** The status, or a word for the failure. */
export function wordFor(outcome: ReportedOutcome): string {
  if (outcome.type === 'response') return String(outcome.status);
  return outcome.kind === 'network' ? 'reset' : outcome.kind;
}
