import { createPolicy, type Outcome, type RequestTraits } from '@ebb/core';
import { type DecisionInput, decide } from '@ebb/core/adapter';
import { seededRandom } from '@ebb/core/testing';
import { retryOptions } from './policy.ts';
import type { Settings } from './settings.ts';

/** The number of requests. */
export const REQUESTS = 2_000;

/** The waits of all requests before one retry. */
export interface Waits {
  readonly retry: number;
  /** In the order in which they were drawn. */
  readonly drawnMs: readonly number[];
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
  readonly mostMs: number;
}

export interface Schedule {
  readonly waits: readonly Waits[];
  /** The median of the total wait of a request. */
  readonly totalMs: number;
  /** Whether the rule ends the retries before `maxRetries` does. */
  readonly givesUp: boolean;
}

const UNAVAILABLE: Outcome = { type: 'response', status: 503, header: () => undefined };
const REQUEST: RequestTraits = {
  method: 'GET',
  url: 'https://service.example/',
  replayable: true,
  header: () => undefined,
};

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** The waits of requests that always get a 503, until the policy ends them. */
export function scheduleOf(settings: Settings): Schedule {
  const policy = createPolicy({ ...retryOptions(settings), random: seededRandom(settings.seed) });
  const drawn: number[][] = [];
  const totals: number[] = [];
  let givesUp = false;
  for (let request = 0; request < REQUESTS; request += 1) {
    let previousBackoffMs: number | undefined;
    let nowMs = 0;
    for (let attempt = 1; ; attempt += 1) {
      const progress: DecisionInput = {
        request: REQUEST,
        attempt,
        startedAtMs: 0,
        previousBackoffMs,
      };
      const decision = decide(policy, progress, UNAVAILABLE, nowMs);
      if (!decision.retry) {
        givesUp ||= decision.reason === 'backoff-exhausted';
        break;
      }
      drawn[attempt - 1] ??= [];
      drawn[attempt - 1]?.push(decision.delayMs);
      previousBackoffMs = decision.backoffMs;
      nowMs += decision.delayMs;
    }
    totals.push(nowMs);
  }
  const waits = drawn.map((drawnMs, at) => {
    const sorted = drawnMs.toSorted((one, other) => one - other);
    const [p5, p50, p95] = [quantile(sorted, 0.05), quantile(sorted, 0.5), quantile(sorted, 0.95)];
    return { retry: at + 1, drawnMs, p5, p50, p95, mostMs: sorted.at(-1) ?? 0 };
  });
  totals.sort((one, other) => one - other);
  return { waits, totalMs: quantile(totals, 0.5), givesUp };
}
