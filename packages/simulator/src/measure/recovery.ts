import type { Scenario } from '../scenario/scenario.ts';
import type { Series } from './measures.ts';

/** The share of requests that must be answered for a recovery. */
const ENOUGH = 0.95;
/** Requests arrive at random, so the share is taken over this many intervals. */
const WINDOW = 5;

/** When a fleet and its server recovered from the trouble. */
export interface Recovery {
  /** The end of the last trouble, in milliseconds. */
  readonly troubleEndsAtMs: number;
  /**
   * How long after that at least 95 % of the requests were answered, over five intervals and until the end of the run,
   * in milliseconds; `undefined` if they never were.
   */
  readonly recoveredAfterMs: number | undefined;
}

/** The recovery of a run; `undefined` for a scenario without trouble. */
export function recoveryOf(scenario: Scenario, { requests, successes }: Series): Recovery | undefined {
  const { server, intervalMs = 1_000, durationMs } = scenario;
  const troubleEndsAtMs = Math.max(...(server.troubles ?? []).map(({ untilMs }) => untilMs));
  if (troubleEndsAtMs < 0 || troubleEndsAtMs >= durationMs) return undefined;
  const first = Math.ceil(troubleEndsAtMs / intervalMs);
  let recovered: number | undefined;
  for (let at = first; at + WINDOW <= requests.length; at += 1) {
    const sum = (counts: Float64Array): number =>
      counts.subarray(at, at + WINDOW).reduce((total, count) => total + count, 0);
    if (sum(successes) < ENOUGH * sum(requests)) recovered = undefined;
    else recovered ??= at;
  }
  const recoveredAfterMs = recovered === undefined ? undefined : recovered * intervalMs - troubleEndsAtMs;
  return { troubleEndsAtMs, recoveredAfterMs };
}
