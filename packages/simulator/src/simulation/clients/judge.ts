import type { Costs, Outcome, OwnBudget, RequestTraits, StopReason } from '@ebb/core';
import { decide, forRequest, type Progress } from '@ebb/core/adapter';
import type { Measures } from '../../measure/measures.ts';
import { FIRST_TOO_MANY, OK, OUTCOMES, REFUSED, RESET, TIMED_OUT, UNAVAILABLE } from '../outcomes.ts';
import type { Fleet } from './fleet.ts';
import type { Requests } from './requests.ts';

const REQUEST: RequestTraits = {
  method: 'GET',
  url: 'https://service.example/',
  replayable: true,
  header: () => undefined,
};

/** One object for all decisions: there are millions of them. */
class ReusedProgress implements Progress {
  readonly request: RequestTraits = REQUEST;
  attempt = 0;
  startedAtMs = 0;
  previousBackoffMs: number | undefined = undefined;
  budget: OwnBudget | undefined = undefined;

  permit(): StopReason | undefined {
    return this.budget?.withdraw() === false ? 'budget-exhausted' : undefined;
  }
}

/** Passes outcomes to the clients' buckets and policies, and returns what core decides. */
export class Judge {
  readonly #fleet: Fleet;
  readonly #requests: Requests;
  readonly #measures: Measures;
  readonly #progress = new ReusedProgress();

  constructor(fleet: Fleet, requests: Requests, measures: Measures) {
    this.#fleet = fleet;
    this.#requests = requests;
    this.#measures = measures;
  }

  /**
   * Passes an outcome to the bucket of its client, and returns whether tokens may have been given back.
   *
   * @param spent what the answer says that the request has spent
   */
  observe(request: number, outcome: number, spent: Costs | undefined): boolean {
    const requests = this.#requests;
    const tokens = this.#fleet.buckets?.tokens;
    if (tokens === undefined) return false;
    const client = requests.client(request);
    const grantedAtMs = requests.grantedAtMs(request);
    const waitedMs = grantedAtMs - requests.sinceMs(request);
    return tokens.observe(client, request, OUTCOMES[outcome] as Outcome, grantedAtMs, waitedMs, spent);
  }

  judge(request: number, outcome: number, nowMs: number): ReturnType<typeof decide> {
    const requests = this.#requests;
    const fleet = this.#fleet;
    const client = requests.client(request);
    const met = OUTCOMES[outcome] as Outcome;
    this.#count(outcome);
    const progress = this.#progress;
    progress.attempt = requests.attempt(request);
    fleet.custom?.[client]?.onOutcome?.(met, progress.attempt);
    progress.startedAtMs = requests.startedAtMs(request);
    progress.previousBackoffMs = requests.previousBackoffMs(request);
    const policy = fleet.policyOf(client);
    progress.budget = policy.budget && forRequest(policy.budget, REQUEST, policy.key);
    const decision = decide(policy, progress, met, nowMs);
    if (decision.reason === 'success') progress.budget?.deposit();
    return decision;
  }

  #count(outcome: number): void {
    const { series } = this.#measures;
    if (outcome === OK) return;
    if (outcome === UNAVAILABLE) this.#measures.count(series.unavailable);
    else if (outcome === TIMED_OUT) this.#measures.count(series.timeouts);
    else if (outcome === REFUSED || outcome === RESET) this.#measures.count(series.refused);
    else if (outcome >= FIRST_TOO_MANY) this.#measures.count(series.throttled429);
  }
}
