import type { EbbEvent, Outcome, StopReason } from '@ebb/core';
import { retryAfterMs } from '@ebb/core/adapter';

/** What a request is doing: it waits for a token, as the server asked, or by the backoff rule; or it is sent. */
export type State = 'token' | 'asked' | 'backoff' | 'sent' | 'ended';

/** The way of one request, as the policy told of it. Times are those of the policy's clock. */
export interface Lane {
  readonly label: string;
  readonly client: string;
  /** In order of time; those of a wait are known when it begins. */
  readonly states: { readonly atMs: number; readonly state: State }[];
  /** What became of each attempt, and when. */
  readonly outcomes: { readonly atMs: number; readonly outcome: Outcome }[];
  attempts: number;
  waitedMs: number;
  /** Whether the attempt that comes next had to wait for a token. */
  throttled: boolean;
  end: StopReason | undefined;
}

export function newLane(client: string, name: string, atMs: number): Lane {
  const states = [{ atMs, state: 'token' as const }];
  const label = `${client} ${name}`;
  return { label, client, states, outcomes: [], attempts: 0, waitedMs: 0, throttled: false, end: undefined };
}

/** Continues the lane by what an event of its request says. */
export function follow(lane: Lane, event: EbbEvent): void {
  const { atMs } = event;
  const next = (state: State, afterMs = 0): void => void lane.states.push({ atMs: atMs + afterMs, state });
  switch (event.type) {
    case 'attempt':
      lane.attempts = event.attempt;
      // What looked like a wait for a token was a late timer, if the policy tells of no such wait.
      if (!lane.throttled && lane.states.at(-1)?.state === 'token') lane.states.pop();
      lane.throttled = false;
      next('sent');
      break;
    case 'throttle':
      lane.waitedMs += event.waitMs;
      lane.throttled = true;
      break;
    case 'retry': {
      const { outcome, delayMs } = event;
      lane.outcomes.push({ atMs, outcome });
      lane.waitedMs += delayMs;
      // Retry-After is waited out first; what the policy waits beyond it is its own backoff, or its jitter.
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

/** How long the response of an event asked to wait, in milliseconds. */
export function askedIn({ outcome, atMs }: { outcome: Outcome; atMs: number }): number {
  return retryAfterMs(outcome, atMs) ?? 0;
}

/** A status, or a word for the failure. */
export function wordFor(outcome: Outcome): string {
  if (outcome.type === 'response') return String(outcome.status);
  return outcome.kind === 'network' ? 'reset' : outcome.kind;
}
