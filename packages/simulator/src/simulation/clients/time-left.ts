import type { Policy } from '@ebb/core';

/** How much of its total timeout a request has left, in milliseconds; infinite without one. */
export function timeLeftMs({ totalTimeoutMs }: Policy, startedAtMs: number, nowMs: number): number {
  return totalTimeoutMs === undefined ? Number.POSITIVE_INFINITY : startedAtMs + totalTimeoutMs - nowMs;
}
