import type { Scenario } from '../scenario/scenario.ts';
import type { Series } from './measures.ts';

/** Goodput counts as recovered from this share of the requests on. */
const ENOUGH = 0.95;
/** Goodput is looked at over so many intervals at once, since requests come by chance. */
const WINDOW = 5;

/** How a fleet and its server came out of their trouble. */
export interface Recovery {
  /** When the last trouble was over, in milliseconds. */
  readonly troubleEndsAtMs: number;
  /**
   * How long after that answers came as fast as requests (95 % of them, over five intervals) and went on to, in
   * milliseconds; `undefined` when they did not until the end.
   */
  readonly recoveredAfterMs: number | undefined;
}

/** Nothing for a scenario without trouble. */
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
