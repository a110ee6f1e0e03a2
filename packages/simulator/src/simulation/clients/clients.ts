import type { Costs } from '@ebb/core';
import { type Events, EXPIRE, LOOK, SEND, TIMEOUT } from '../../engine/events.ts';
import type { Measures } from '../../measure/measures.ts';
import { OK } from '../outcomes.ts';
import type { Fleet } from './fleet.ts';
import { Judge } from './judge.ts';
import type { Requests } from './requests.ts';
import { TokenLines } from './token-lines.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** What clients need from the simulation around them. */
export interface ClientWorld {
  /** Sends an attempt to the server. */
  send(request: number, stamp: number): void;
  /** What the answer to an attempt says that it has spent. Called once for each successful answer. */
  readonly spent?: ((request: number, stamp: number) => Costs | undefined) | undefined;
  /** Called when a request of a client has ended. */
  ended(client: number): void;
}

/** The clients of a fleet: everything that happens to a request, from its start to its end. */
export class Clients {
  readonly requests: Requests;
  readonly #fleet: Fleet;
  readonly #events: Events;
  readonly #measures: Measures;
  readonly #world: ClientWorld;
  readonly #judge: Judge;
  readonly #lines: TokenLines | undefined;

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
    this.#judge = new Judge(fleet, requests, measures);
    if (fleet.buckets !== undefined) {
      this.#lines = new TokenLines(clients, fleet.buckets, this.requests, (client, atMs) =>
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

  /** The backoff of the next attempt is over. Sends it as soon as it has tokens. */
  ready(request: number): void {
    const { custom } = this.#fleet;
    const client = this.requests.client(request);
    const lines = this.#lines;
    if (custom !== undefined && custom[client]?.admit?.() === false) this.#throttled(request);
    else if (lines === undefined) this.#send(request);
    else this.#acquire(lines, request, client);
  }

  #acquire(lines: TokenLines, request: number, client: number): void {
    const { nowMs } = this.#events;
    const maxWaitMs = this.#maxWaitMs(request, client);
    const admission = lines.acquire(request, maxWaitMs, nowMs);
    if (admission === 'refused') {
      this.#throttled(request);
    } else if (admission !== 'wait') {
      this.#granted(request);
    } else if (maxWaitMs < NEVER) {
      this.#events.add(maxWaitMs, EXPIRE, request, this.requests.renew(request));
    }
  }

  /** How long a request may wait for tokens, in milliseconds. */
  #maxWaitMs(request: number, client: number): number {
    const { totalTimeoutMs } = this.#fleet.policyOf(client);
    const maxWaitMs = Math.min(this.#fleet.maxWaitMs, this.#fleet.buckets?.rules.maxWaitMs ?? NEVER);
    if (totalTimeoutMs === undefined) return maxWaitMs;
    const endMs = this.requests.startedAtMs(request) + totalTimeoutMs;
    return Math.min(maxWaitMs, Math.max(0, endMs - this.#events.nowMs));
  }

  /** Sends those of a client's waiting requests that can have their tokens now. */
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

  /** The longest wait for tokens that a request allows is over. */
  expire(request: number, stamp: number): void {
    if (this.requests.stamp(request) !== stamp) return;
    const lines = this.#lines as TokenLines;
    const client = this.requests.client(request);
    const { nowMs } = this.#events;
    // Its tokens may arrive at this very time.
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
    // Without a network the attempt may be answered already.
    if (this.requests.stamp(request) !== stamp) return;
    const { attemptTimeoutMs } = this.#fleet.policyOf(this.requests.client(request));
    if (attemptTimeoutMs !== undefined) this.#events.add(attemptTimeoutMs, TIMEOUT, request, stamp);
  }

  /** An attempt is answered or has timed out. An answer to an attempt that was given up is only counted. */
  learn(request: number, stamp: number, outcome: number): void {
    const spent = outcome === OK ? this.#world.spent?.(request, stamp) : undefined;
    if (this.requests.stamp(request) === stamp) this.#retryOrEnd(request, outcome, spent);
    else if (outcome === OK) this.#measures.count(this.#measures.series.lateAnswers);
  }

  #retryOrEnd(request: number, outcome: number, spent: Costs | undefined): void {
    const { requests } = this;
    const { nowMs } = this.#events;
    const measures = this.#measures;
    if (this.#judge.observe(request, outcome, spent)) {
      this.#lines?.returned(requests.client(request), nowMs);
    }
    const decision = this.#judge.judge(request, outcome, nowMs);
    if (decision.retry) {
      requests.retry(request, decision.backoffMs);
      this.#events.add(decision.delayMs, SEND, request);
      return;
    }
    if (decision.reason === 'success') {
      measures.count(measures.series.successes);
      measures.latency.add(nowMs - requests.startedAtMs(request));
    } else {
      measures.count(measures.series.failures);
    }
    this.#end(request);
  }

  #end(request: number): void {
    const client = this.requests.client(request);
    this.requests.end(request);
    this.#fleet.shared?.end(client);
    this.#world.ended(client);
  }
}
