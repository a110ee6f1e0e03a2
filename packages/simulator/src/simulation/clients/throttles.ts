import type { Policy, ThrottleOptions } from '@ebb/core';
import { isBad, type ThrottleNumbers, ThrottleRule } from '@ebb/core/bucket';
import { OUTCOMES } from '../outcomes.ts';
import { RequestNumbers } from '../request-numbers.ts';
import type { Requests } from './requests.ts';
import { timeLeftMs } from './time-left.ts';

/** The numbers of a request: chances that were skipped, when it was sent, and whether a chance is taken that was not sent. */
const SKIPPED = 0;
const SENT = 1;
const TAKEN = 2;

const BAD: readonly boolean[] = OUTCOMES.map((outcome) => isBad(outcome, { url: '' } as never) ?? false);

/** What throttles have in common: the numbers of core's rule, and what a skipped chance leads to. */
export type ThrottleSetup = ThrottleNumbers & Required<Pick<ThrottleOptions, 'whenSkipped'>>;

/**
 * A throttle for each client. The rule is core's own; what a call does around it (`ThrottleTurn`, and `afterSkip`) is done here
 * without promises. `throttles.test.ts` holds this against clients of core.
 */
export class Throttles {
  readonly #setup: ThrottleSetup;
  /** A budget pays for the retries instead. */
  readonly #hasBudget: boolean;
  readonly #rules: (ThrottleRule | undefined)[];
  readonly #numbers: RequestNumbers = new RequestNumbers(3);

  constructor(clients: number, setup: ThrottleSetup, hasBudget: boolean) {
    this.#setup = setup;
    this.#hasBudget = hasBudget;
    this.#rules = new Array(clients);
  }

  #rule(client: number): ThrottleRule {
    this.#rules[client] ??= new ThrottleRule(this.#setup);
    return this.#rules[client] as ThrottleRule;
  }

  /** The share of new requests that a client sends. */
  share(client: number): number {
    return this.#rules[client]?.share ?? 1;
  }

  begin(request: number, client: number, nowMs: number): void {
    this.#numbers.begin(request);
    this.#rule(client).ask(nowMs);
  }

  /** True if the request may use its chance. */
  take(request: number, client: number, isRetry: boolean, { clock, random }: Policy): boolean {
    if (isRetry && this.#hasBudget) return true;
    const isTaken = this.#rule(client).take(clock.now(), isRetry, random);
    if (isTaken) this.#numbers.set(request, TAKEN, 1);
    return isTaken;
  }

  /** The request ends: a chance that it has taken and not used goes back. */
  end(request: number, client: number, isRetry: boolean, nowMs: number): void {
    if (this.#numbers.get(request, TAKEN) === 1) this.#rule(client).giveBack(nowMs, isRetry);
  }

  /** A chance was skipped: how long until the next one, in milliseconds, or `undefined` without a next one. */
  nextChance(request: number, requests: Requests, policy: Policy): number | undefined {
    const { maxRetries, backoff, random, clock } = policy;
    const skipped = this.skipped(request) + 1;
    this.#numbers.set(request, SKIPPED, skipped);
    const retry = requests.attempt(request) - 1 + skipped;
    if (retry > maxRetries || this.#setup.whenSkipped === 'fail') return undefined;
    const delayMs = backoff({ retry, previousDelayMs: requests.previousBackoffMs(request), random });
    const leftMs = timeLeftMs(policy, requests.startedAtMs(request), clock.now());
    if (delayMs === undefined || delayMs > leftMs) return undefined;
    requests.putOff(request, delayMs);
    return delayMs;
  }

  /** How many chances of a request were skipped. They count as retries. */
  skipped(request: number): number {
    return this.#numbers.get(request, SKIPPED);
  }

  sent(request: number, nowMs: number): void {
    this.#numbers.set(request, SENT, nowMs);
    this.#numbers.set(request, TAKEN, 0);
  }

  /** An attempt has ended. */
  learn(request: number, client: number, outcome: number, isRetry: boolean, nowMs: number): void {
    const tookMs = nowMs - this.#numbers.get(request, SENT);
    this.#rule(client).learn(nowMs, tookMs, BAD[outcome] as boolean, isRetry);
  }

  /**
   * True if a hedge may be sent. It counts as a retry. What it meets teaches nothing: a retry that has failed does not, and an
   * answer wins, and is that of the attempt.
   */
  takeForHedge(client: number, { clock, random }: Policy): boolean {
    if (this.share(client) < 1) return false;
    const rule = this.#rule(client);
    rule.ask(clock.now());
    return this.#hasBudget || rule.take(clock.now(), true, random);
  }

  /** The hedge was not sent. */
  giveBackHedge(client: number, nowMs: number): void {
    if (!this.#hasBudget) this.#rule(client).giveBack(nowMs, true);
  }
}
