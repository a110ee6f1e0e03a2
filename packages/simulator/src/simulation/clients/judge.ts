import type { Costs, Outcome, RequestTraits, RetryBudget, StopReason } from '@ebb/core';
import { type DecisionInput, decide, forRequest } from '@ebb/core/adapter';
import { mostScheduled } from '@ebb/core/bucket';
import type { Measures } from '../../measure/measures.ts';
import {
  FIRST_TOO_MANY,
  OK,
  OUTCOMES,
  REFUSED,
  REQUEST,
  RESET,
  TIMED_OUT,
  UNAVAILABLE,
} from '../outcomes.ts';
import type { Fleet } from './fleet.ts';
import type { Requests } from './requests.ts';

/** A single object for all decisions, because there are millions of decisions. */
class ReusedDecisionInput implements DecisionInput {
  readonly request: RequestTraits = REQUEST;
  attempt = 0;
  startedAtMs = 0;
  previousBackoffMs: number | undefined = undefined;
  budget: Omit<RetryBudget, 'limit'> | undefined = undefined;
  skipped = 0;

  permit(): StopReason | undefined {
    return this.budget?.withdraw() === false ? 'budget-exhausted' : undefined;
  }
}

/** Passes outcomes to the clients' buckets and policies, and returns what core decides. */
export class Judge {
  readonly #fleet: Fleet;
  readonly #requests: Requests;
  readonly #measures: Measures;
  readonly #progress = new ReusedDecisionInput();

  constructor(fleet: Fleet, requests: Requests, measures: Measures) {
    this.#fleet = fleet;
    this.#requests = requests;
    this.#measures = measures;
  }

  /**
   * Passes an outcome to the bucket and the throttle of its client, and returns whether tokens may have been given back.
   *
   * @param spent what the answer says that the request has spent
   */
  observe(request: number, outcome: number, spent: Costs | undefined): boolean {
    const requests = this.#requests;
    const { throttles } = this.#fleet;
    const client = requests.client(request);
    throttles?.learn(request, client, outcome, requests.attempt(request) > 1, this.#fleet.policyOf(client));
    const tokens = this.#fleet.buckets?.tokens;
    if (tokens === undefined) return false;
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
    if (fleet.throttles !== undefined) progress.skipped = fleet.throttles.skipped(request);
    const policy = fleet.policyOf(client);
    // The throttle of a call refuses the retry then. Here no delay is drawn before.
    if (progress.skipped > 0 && progress.attempt + progress.skipped > mostScheduled(policy))
      progress.attempt = Number.POSITIVE_INFINITY;
    progress.budget = policy.budget && forRequest(policy.budget, REQUEST, policy.key);
    const decision = decide(policy, progress, met, nowMs);
    if (decision.reason === 'success') progress.budget?.deposit();
    return decision;
  }

  /** The outcome that an attempt ends with when one of its sends has settled; OPEN while another one can still be better. */
  endsWith(request: number, at: number, outcome: number, nowMs: number): number {
    const { hedges } = this.#fleet;
    if (hedges === undefined) return outcome;
    const isFailure = outcome !== OK && this.#isFailure(request, outcome);
    return hedges.settled(request, this.#requests.client(request), at, outcome, isFailure, nowMs);
  }

  /** True for an outcome that may be retried. */
  #isFailure(request: number, outcome: number): boolean {
    const policy = this.#fleet.policyOf(this.#requests.client(request));
    const verdict = policy.classify(OUTCOMES[outcome] as Outcome, REQUEST, 1);
    return outcome === REFUSED || outcome === RESET || verdict === 'refused' || verdict === 'transient';
  }

  /** Takes what a hedge takes, at once or not at all. */
  permitsHedge(request: number, client: number): boolean {
    const { throttles } = this.#fleet;
    const policy = this.#fleet.policyOf(client);
    if (throttles?.takeForHedge(request, client, policy) === false) return false;
    const budget = policy.budget && forRequest(policy.budget, REQUEST, policy.key);
    if (budget?.withdraw() !== false) return true;
    throttles?.giveBackHedge(request, client, policy.clock.now());
    return false;
  }

  #count(outcome: number): void {
    const { series } = this.#measures;
    if (outcome === OK) return;
    if (outcome === UNAVAILABLE) this.#measures.count(series.unavailable);
    else if (outcome === TIMED_OUT) this.#measures.count(series.timeouts);
    else if (outcome === REFUSED || outcome === RESET) this.#measures.count(series.refused);
    else if (outcome >= FIRST_TOO_MANY) this.#measures.count(series.answered429);
  }
}
