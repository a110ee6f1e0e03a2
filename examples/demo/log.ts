import type { EbbEvent } from '@ebb/core';
import { askedIn, type Lane, wordFor } from './lanes.ts';

/** A duration in seconds, with two decimals. */
export function seconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(2)} s`;
}

function row(at: string, request: string, attempt: string, ...rest: string[]): string {
  const [got = '', reason = '', again = ''] = rest;
  const start = `  ${at.padStart(7)}  ${request.padEnd(15)}  ${attempt.padStart(2)}`;
  return `${start}  ${got.padEnd(7)}  ${reason.padEnd(14)}  ${again}`.trimEnd();
}

export const logHead: string = row('at', 'request', '#', 'got', 'reason', 'again');

/** The line of an event for output that is not a terminal; `undefined` if other lines cover it. */
export function logLine(event: EbbEvent, lane: Lane, startMs: number): string | undefined {
  const at = seconds(event.atMs - startMs);
  const attempt = String(event.attempt);
  switch (event.type) {
    case 'wait':
      // The event comes before the attempt that the token is for.
      return row(at, lane.label, String(event.attempt + 1), 'a token', `after ${seconds(event.waitedMs)}`);
    case 'retry': {
      const askedMs = askedIn(event);
      const asked = askedMs > 0 ? ` (asked: ${askedMs / 1_000} s)` : '';
      const again = `in ${seconds(event.delayMs)}${asked}`;
      return row(at, lane.label, attempt, wordFor(event.outcome), event.reason, again);
    }
    case 'end': {
      const got = event.outcome === undefined ? '' : wordFor(event.outcome);
      return row(at, lane.label, attempt, got, event.reason, event.reason === 'success' ? '' : 'no');
    }
    default:
      return undefined;
  }
}
