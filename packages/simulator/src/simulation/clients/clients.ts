import type { Outcome, RequestTraits, RetryBudget } from '@ebb/core';
import { decide, forRequest, type Progress } from '@ebb/core/adapter';
import { type Events, EXPIRE, LOOK, SEND, TIMEOUT } from '../../engine/events.ts';
import type { Measures } from '../../measure/measures.ts';
import { FIRST_TOO_MANY, OK, OUTCOMES, REFUSED, RESET, TIMED_OUT, UNAVAILABLE } from '../outcomes.ts';
import type { Fleet } from './fleet.ts';
import type { Requests } from './requests.ts';
import { TokenLines } from './token-lines.ts';

const NEVER = Number.POSITIVE_INFINITY;

const REQUEST: RequestTraits = {
  method: 'GET',
  url: 'https://service.example/',
  replayable: true,
  header: () => undefined,
};

/** One for all decisions, filled anew for each: there are millions. */
class ReusedProgress implements Progress {
  readonly request: RequestTraits = REQUEST;
  attempt = 0;
  startedAtMs = 0;
  previousBackoffMs: number | undefined = undefined;
  budget: RetryBudget | undefined = undefined;
}

/** What clients ask of the world that they stand in. */
export interface ClientWorld {
  /** Takes an attempt on its way. */
  send(request: number, stamp: number): void;
  /** Is told that a client's request is over. */
  ended(client: number): void;
}

/** The clients of a fleet: what they do with a request from its first moment to its last. */
export class Clients {
  readonly requests: Requests;
  readonly #fleet: Fleet;
  readonly #events: Events;
  readonly #measures: Measures;
  readonly #world: ClientWorld;
  readonly #lines: TokenLines | undefined;
  readonly #progress = new ReusedProgress();

  constructor(
    clients: number,
    fleet: Fleet,
    requests: Requests,
    events: Events,
    measures: Measures,
    world: ClientWorld,
  ) {
    this.requests = requests;
    this.#fleet = fleet;
    this.#events = events;
    this.#measures = measures;
    this.#world = world;
    if (fleet.bucket !== undefined) {
      this.#lines = new TokenLines(clients, fleet.bucket, fleet.cost, this.requests, (client, atMs) =>
        events.add(atMs - events.nowMs, LOOK, client),
      );
    }
  }

  begin(client: number): void {
    const measures = this.#measures;
    measures.count(measures.series.requests);
    this.#fleet.custom?.[client]?.onRequest?.();
    this.#fleet.shared?.begin(client);
    this.ready(this.requests.begin(client, this.#events.nowMs));
  }

  /** The next attempt may go, as far as the backoff is concerned. */
  ready(request: number): void {
    const { custom } = this.#fleet;
    const client = this.requests.client(request);
    const lines = this.#lines;
    if (custom !== undefined && custom[client]?.admit?.() === false) this.#throttled(request);
    else if (lines === undefined) this.#send(request);
    else this.#askForTokens(lines, request, client);
  }

  #askForTokens(lines: TokenLines, request: number, client: number): void {
    const { nowMs } = this.#events;
    const patienceMs = this.#patienceMs(request, client);
    const admission = lines.ask(request, patienceMs, nowMs);
    if (admission === 'refused') {
      this.#throttled(request);
    } else if (admission !== 'wait') {
      this.#granted(request);
    } else if (patienceMs < NEVER) {
      this.#events.add(patienceMs, EXPIRE, request, this.requests.renew(request));
    }
  }

  /** How long a request may wait for tokens. */
  #patienceMs(request: number, client: number): number {
    const { totalTimeoutMs } = this.#fleet.policyOf(client);
    const maxWaitMs = Math.min(this.#fleet.maxWaitMs, this.#fleet.bucket?.rules.maxWaitMs ?? NEVER);
    if (totalTimeoutMs === undefined) return maxWaitMs;
    const endMs = this.requests.startedAtMs(request) + totalTimeoutMs;
    return Math.min(maxWaitMs, Math.max(0, endMs - this.#events.nowMs));
  }

  /** Lets those of a client's requests go whose tokens have come. */
  look(client: number): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    const { nowMs } = this.#events;
    for (let request = lines.look(client, nowMs); request >= 0; request = lines.look(client, nowMs)) {
      this.#granted(request);
    }
  }

  #granted(request: number): void {
    const { nowMs } = this.#events;
    this.requests.grant(request, nowMs);
    this.#measures.tokenWait.add(nowMs - this.requests.sinceMs(request));
    this.#send(request);
  }

  /** A request has waited for tokens as long as it may. */
  expire(request: number, stamp: number): void {
    if (this.requests.stamp(request) !== stamp) return;
    const lines = this.#lines as TokenLines;
    const client = this.requests.client(request);
    const { nowMs } = this.#events;
    // Its tokens may come in this very moment.
    for (let first = lines.serve(client, nowMs); first >= 0; first = lines.serve(client, nowMs)) {
      this.#granted(first);
    }
    if (this.requests.stamp(request) !== stamp) return;
    lines.leave(request);
    this.#throttled(request);
  }

  #throttled(request: number): void {
    this.#measures.count(this.#measures.series.throttledLocally);
    this.#end(request);
  }

  #send(request: number): void {
    const measures = this.#measures;
    measures.count(measures.series.sends);
    const stamp = this.requests.renew(request);
    this.#world.send(request, stamp);
    // Without a network the answer may be there already.
    if (this.requests.stamp(request) !== stamp) return;
    const { attemptTimeoutMs } = this.#fleet.policyOf(this.requests.client(request));
    if (attemptTimeoutMs !== undefined) this.#events.add(attemptTimeoutMs, TIMEOUT, request, stamp);
  }

  /** An answer is there, or the time for one is over. What comes to an attempt given up is too late. */
  learn(request: number, stamp: number, outcome: number): void {
    if (this.requests.stamp(request) === stamp) this.#judge(request, outcome);
    else if (outcome === OK) this.#measures.count(this.#measures.series.lateAnswers);
  }

  #judge(request: number, outcome: number): void {
    const { requests } = this;
    const { nowMs } = this.#events;
    const measures = this.#measures;
    const client = requests.client(request);
    const met = OUTCOMES[outcome] as Outcome;
    this.#countOutcome(outcome);
    const bucket = this.#fleet.bucket;
    if (bucket !== undefined) {
      const grantedAtMs = requests.grantedAtMs(request);
      bucket.tokens.observe(client, met, grantedAtMs, grantedAtMs - requests.sinceMs(request));
    }

    const progress = this.#progress;
    progress.attempt = requests.attempt(request);
    this.#fleet.custom?.[client]?.onOutcome?.(met, progress.attempt);
    progress.startedAtMs = requests.startedAtMs(request);
    progress.previousBackoffMs = requests.previousBackoffMs(request);
    const policy = this.#fleet.policyOf(client);
    progress.budget = policy.budget && forRequest(policy.budget, REQUEST, policy.key);
    const decision = decide(policy, progress, met, nowMs);

    if (decision.retry) {
      requests.retry(request, decision.backoffMs);
      this.#events.add(decision.delayMs, SEND, request);
    } else if (decision.reason === 'success') {
      measures.count(measures.series.successes);
      measures.latency.add(nowMs - progress.startedAtMs);
      this.#end(request);
    } else {
      measures.count(measures.series.failures);
      this.#end(request);
    }
  }

  #countOutcome(outcome: number): void {
    const { series } = this.#measures;
    if (outcome === OK) return;
    if (outcome === UNAVAILABLE) this.#measures.count(series.unavailable);
    else if (outcome === TIMED_OUT) this.#measures.count(series.timeouts);
    else if (outcome === REFUSED || outcome === RESET) this.#measures.count(series.refused);
    else if (outcome >= FIRST_TOO_MANY) this.#measures.count(series.throttled429);
  }

  #end(request: number): void {
    const client = this.requests.client(request);
    this.requests.end(request);
    this.#fleet.shared?.end(client);
    this.#world.ended(client);
  }
}
