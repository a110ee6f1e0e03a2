import type { Costs } from '@ebb/core';
import { type Events, EXPIRE, HEDGE, LOOK, SEND, TIMEOUT } from '../../engine/events.ts';
import type { Measures } from '../../measure/measures.ts';
import { OK, TIMED_OUT } from '../outcomes.ts';
import type { Shards } from '../shards.ts';
import type { Fleet } from './fleet.ts';
import { OPEN } from './hedges.ts';
import { Judge } from './judge.ts';
import type { Requests } from './requests.ts';
import { timeLeftMs } from './time-left.ts';
import { TokenLines } from './token-lines.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** The simulation around the clients. */
export interface ClientWorld {
  /** Sends an attempt to the server. */
  send(request: number, stamp: number): void;
  /** Returns the costs in the answer to an attempt. Called once for each successful answer. */
  readonly spent?: ((request: number, stamp: number) => Costs | undefined) | undefined;
  /** Chooses the shard of each request; `undefined` if there is one server. */
  readonly shards?: Shards | undefined;
  /** The path of a request that begins, from 0; `undefined` if all have one. */
  readonly pathOf?: ((request: number) => number) | undefined;
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
    const { nowMs } = this.#events;
    const request = this.requests.begin(client, nowMs);
    this.#world.shards?.begin(request);
    this.#fleet.throttles?.begin(request, client, this.#world.pathOf?.(request) ?? 0);
    this.ready(request);
  }

  /** The backoff of the next attempt is over. Sends it as soon as it has tokens. */
  ready(request: number): void {
    const { custom } = this.#fleet;
    const client = this.requests.client(request);
    const lines = this.#lines;
    if (custom !== undefined && custom[client]?.admit?.() === false) this.#notSent(request);
    else if (this.#skips(request, client)) return;
    else if (lines === undefined) this.#send(request);
    else this.#acquire(lines, request, client);
  }

  /** True if the client's throttle has skipped this scheduled attempt: the request waits for the next one, or has ended. */
  #skips(request: number, client: number): boolean {
    const { throttles } = this.#fleet;
    if (throttles === undefined) return false;
    const { requests } = this;
    const policy = this.#fleet.policyOf(client);
    const isRetry = requests.attempt(request) > 1;
    if (throttles.take(request, client, isRetry, policy)) return false;
    const delayMs = throttles.nextChance(request, requests, policy);
    if (delayMs === 0) return false;
    this.#measures.count(this.#measures.series.skipped);
    if (delayMs === undefined) this.#notSent(request);
    else this.#events.add(delayMs, SEND, request);
    return true;
  }

  #acquire(lines: TokenLines, request: number, client: number): void {
    const { nowMs } = this.#events;
    const maxWaitMs = this.#maxWaitMs(request, client);
    const admission = lines.acquire(request, maxWaitMs, nowMs);
    if (admission === 'refused') {
      this.#notSent(request);
    } else if (admission !== 'wait') {
      this.#granted(request);
    } else if (maxWaitMs < NEVER) {
      this.#events.add(maxWaitMs, EXPIRE, request, this.requests.renew(request));
    }
  }

  /** How long a request may wait for tokens, in milliseconds. */
  #maxWaitMs(request: number, client: number): number {
    const maxWaitMs = Math.min(this.#fleet.maxWaitMs, this.#fleet.buckets?.rules.maxWaitMs ?? NEVER);
    const startedAtMs = this.requests.startedAtMs(request);
    const leftMs = timeLeftMs(this.#fleet.policyOf(client), startedAtMs, this.#events.nowMs);
    return Math.min(maxWaitMs, Math.max(0, leftMs));
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
    this.#notSent(request);
  }

  #notSent(request: number): void {
    const { series } = this.#measures;
    const { throttles } = this.#fleet;
    const isRetry = this.requests.attempt(request) > 1;
    throttles?.end(request, this.requests.client(request), isRetry, this.#events.nowMs);
    this.#world.shards?.failed(request);
    // With a throttle a request that was sent before ends with its last outcome.
    this.#measures.count(isRetry && throttles !== undefined ? series.failures : series.notSent);
    this.#end(request);
  }

  #send(request: number): void {
    const measures = this.#measures;
    measures.count(measures.series.sends);
    const client = this.requests.client(request);
    const { hedges, throttles } = this.#fleet;
    const stamp = this.requests.renew(request);
    throttles?.sent(request, this.#events.nowMs);
    const delayMs = hedges === undefined ? NEVER : hedges.begin(request, client, this.#events.nowMs);
    this.#world.send(request, stamp);
    // Without a network the attempt may be answered already.
    if (this.requests.stamp(request) !== stamp) return;
    if (delayMs < NEVER) this.#events.add(delayMs, HEDGE, request, stamp);
    const { attemptTimeoutMs } = this.#fleet.policyOf(client);
    if (attemptTimeoutMs !== undefined) this.#events.add(attemptTimeoutMs, TIMEOUT, request, stamp);
  }

  /** The first try of an attempt has outlasted its delay: sends another one, if that is paid for. */
  hedge(request: number, stamp: number): void {
    const { hedges } = this.#fleet;
    const { requests } = this;
    if (hedges === undefined || this.#indexOf(request, stamp) !== 0) return;
    const client = requests.client(request);
    if (!hedges.isDue(request, client) || !this.#judge.permitsHedge(request, client)) return;
    const { series } = this.#measures;
    this.#measures.count(series.sends);
    this.#measures.count(series.hedges);
    const delayMs = hedges.sent(request, client);
    if (delayMs < NEVER) this.#events.add(delayMs, HEDGE, request, stamp);
    this.#world.send(request, requests.renew(request));
  }

  /** An attempt has taken too long. */
  timeOut(request: number, stamp: number): void {
    if (this.#indexOf(request, stamp) !== 0) return;
    this.#fleet.hedges?.over(request);
    this.#retryOrEnd(request, TIMED_OUT, undefined);
  }

  /** A send is answered. An answer to an attempt that was given up is only counted. */
  learn(request: number, stamp: number, outcome: number): void {
    const spent = outcome === OK ? this.#world.spent?.(request, stamp) : undefined;
    const at = this.#indexOf(request, stamp);
    if (at >= 0) this.#settled(request, at, outcome, spent);
    else if (outcome === OK) this.#measures.count(this.#measures.series.lateAnswers);
  }

  /** Which send of its current attempt has this stamp, from 0; below 0 for one of an earlier attempt. */
  #indexOf(request: number, stamp: number): number {
    const { hedges } = this.#fleet;
    const last = this.requests.stamp(request);
    if (hedges !== undefined) return hedges.indexOf(request, stamp, last);
    return last === stamp ? 0 : -1;
  }

  #settled(request: number, at: number, outcome: number, spent: Costs | undefined): void {
    const end = this.#judge.endsWith(request, at, outcome, this.#events.nowMs);
    if (end !== OPEN) this.#retryOrEnd(request, end, spent);
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
      // No part sends a request again at once here.
      requests.retry(request, decision.backoffMs ?? 0);
      this.#events.add(decision.delayMs, SEND, request);
      return;
    }
    if (decision.reason === 'success') {
      measures.count(measures.series.successes);
      const tookMs = nowMs - requests.startedAtMs(request);
      measures.latency.add(tookMs);
      this.#world.shards?.answered(request, tookMs);
    } else {
      measures.count(measures.series.failures);
      this.#world.shards?.failed(request);
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
