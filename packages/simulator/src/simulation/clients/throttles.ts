import type { Policy, ThrottleOptions } from '@ebb/core';
import { type Complete, isBad, type Occasion, ThrottleRule } from '@ebb/core/bucket';
import { OUTCOMES, REQUEST, TIMED_OUT } from '../outcomes.ts';
import { RequestNumbers } from '../request-numbers.ts';
import type { Requests } from './requests.ts';
import { timeLeftMs } from './time-left.ts';

/**
 * The numbers of a request: skipped attempts, the time of the send, whether a taken scheduled attempt is still unsent, and whether the last outcome was
 * a timeout.
 */
const SKIPPED = 0;
const SENT = 1;
const TAKEN = 2;
const TIMED = 3;

const BAD: readonly boolean[] = OUTCOMES.map((outcome) => isBad(outcome, { url: '' } as never) ?? false);

/**
 * A throttle for each client. The rule is core's own; what a call does around it (`ThrottlePartInstance`, and `afterSkip`) is done here
 * without promises. `throttles.test.ts` holds this against clients of core.
 */
export class Throttles {
  readonly #setup: Complete<ThrottleOptions>;
  /** A budget pays for the retries instead. */
  readonly #hasBudget: boolean;
  readonly #rules: (ThrottleRule | undefined)[];
  readonly #numbers: RequestNumbers = new RequestNumbers(4);

  constructor(clients: number, setup: Complete<ThrottleOptions>, hasBudget: boolean) {
    this.#setup = setup;
    this.#hasBudget = hasBudget;
    this.#rules = new Array(clients);
  }

  #rule(client: number): ThrottleRule {
    this.#rules[client] ??= new ThrottleRule();
    return this.#rules[client] as ThrottleRule;
  }

  /** The share of new requests that a client sends. */
  share(client: number): number {
    return this.#rules[client]?.level ?? 1;
  }

  begin(request: number, client: number): void {
    this.#numbers.begin(request);
    this.#rule(client).ask();
  }

  #occasion(request: number, isRetry: boolean): Occasion {
    if (!isRetry) return 'first';
    return this.#numbers.get(request, TIMED) === 1 ? 'after-timeout' : 'after-failure';
  }

  /** True if the request may use its scheduled attempt. */
  take(request: number, client: number, isRetry: boolean, { clock }: Policy): boolean {
    if (isRetry && this.#hasBudget) return true;
    const isTaken = this.#rule(client).take(clock.now(), this.#occasion(request, isRetry));
    if (isTaken) this.#numbers.set(request, TAKEN, 1);
    return isTaken;
  }

  /** The request ends: a scheduled attempt that it has taken and not used goes back. */
  end(request: number, client: number, isRetry: boolean, nowMs: number): void {
    if (this.#numbers.get(request, TAKEN) === 0) return;
    this.#rule(client).giveBack(nowMs, this.#occasion(request, isRetry));
  }

  /** A scheduled attempt was skipped: how long until the next one, in milliseconds, or `undefined` without a next one. */
  nextChance(request: number, requests: Requests, policy: Policy): number | undefined {
    const { maxRetries, backoff, random, clock } = policy;
    const skipped = this.skipped(request) + 1;
    this.#numbers.set(request, SKIPPED, skipped);
    const retry = requests.attempt(request) - 1 + skipped;
    if (retry > maxRetries || this.#setup.whenSkipped === 'fail') return undefined;
    const previousDelayMs = requests.previousBackoffMs(request);
    const delayMs = backoff({ retry, previousDelayMs, random, request: REQUEST });
    const leftMs = timeLeftMs(policy, requests.startedAtMs(request), clock.now());
    if (delayMs === undefined || delayMs > leftMs) return undefined;
    requests.putOff(request, delayMs);
    return delayMs;
  }

  /** How many scheduled attempts of a request were skipped. They count as retries. */
  skipped(request: number): number {
    return this.#numbers.get(request, SKIPPED);
  }

  sent(request: number, nowMs: number): void {
    this.#numbers.set(request, SENT, nowMs);
    this.#numbers.set(request, TAKEN, 0);
  }

  /** An attempt has ended. */
  learn(
    request: number,
    client: number,
    outcome: number,
    isRetry: boolean,
    { clock, attemptTimeoutMs }: Policy,
  ): void {
    const nowMs = clock.now();
    const tookMs = nowMs - this.#numbers.get(request, SENT);
    this.#numbers.set(request, TIMED, outcome === TIMED_OUT ? 1 : 0);
    const lateness = tookMs / (attemptTimeoutMs ?? Number.POSITIVE_INFINITY);
    this.#rule(client).learn(nowMs, BAD[outcome] as boolean, isRetry, lateness);
  }

  /**
   * True if a hedge may be sent. A hedge counts as a retry. The throttle learns nothing from a hedge: a failed retry teaches nothing, and
   * an answer wins, and is the answer of the attempt.
   */
  takeForHedge(client: number, { clock }: Policy): boolean {
    const rule = this.#rule(client);
    if (rule.state !== 'closed') return false;
    return this.#hasBudget || rule.take(clock.now(), 'after-failure');
  }

  /** The hedge was not sent. */
  giveBackHedge(client: number, nowMs: number): void {
    if (!this.#hasBudget) this.#rule(client).giveBack(nowMs, 'after-failure');
  }
}
