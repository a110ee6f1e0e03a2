import type { Policy, ThrottleOptions } from '@ebb/core';
import { type Complete, delayAfterSkip, isBad, type Occasion, ThrottleRule } from '@ebb/core/bucket';
import { OUTCOMES, REQUEST, TIMED_OUT } from '../outcomes.ts';
import { RequestNumbers } from '../request-numbers.ts';
import type { Requests } from './requests.ts';
import { timeLeftMs } from './time-left.ts';

/**
 * The numbers of a request: skipped attempts, the time of the send, whether a taken scheduled attempt is still unsent, whether the last outcome was
 * a timeout, and its path.
 */
const SKIPPED = 0;
const SENT = 1;
const TAKEN = 2;
const TIMED = 3;
const PATH = 4;

const BAD: readonly (boolean | undefined)[] = OUTCOMES.map((outcome) =>
  isBad(outcome, REQUEST, { now: () => 0 }),
);

/**
 * A throttle for each client, with a rule for each path. The rule is core's own; what the throttle of a call does around it is done here
 * without promises. `throttles.test.ts` holds this against clients of core.
 */
export class Throttles {
  readonly #setup: Complete<ThrottleOptions>;
  /** A budget pays for the retries instead. */
  readonly #hasBudget: boolean;
  readonly #paths: number;
  /** By client and path. */
  readonly #rules: (ThrottleRule | undefined)[];
  readonly #numbers: RequestNumbers = new RequestNumbers(5);

  constructor(clients: number, paths: number, setup: Complete<ThrottleOptions>, hasBudget: boolean) {
    this.#setup = setup;
    this.#hasBudget = hasBudget;
    this.#paths = paths;
    this.#rules = new Array(clients * paths);
  }

  #rule(client: number, path: number): ThrottleRule {
    const at = client * this.#paths + path;
    this.#rules[at] ??= new ThrottleRule();
    return this.#rules[at] as ThrottleRule;
  }

  #ruleOf(request: number, client: number): ThrottleRule {
    return this.#rule(client, this.#numbers.get(request, PATH));
  }

  begin(request: number, client: number, path: number): void {
    this.#numbers.begin(request);
    this.#numbers.set(request, PATH, path);
    this.#rule(client, path).ask();
  }

  #occasion(request: number, isRetry: boolean): Occasion {
    if (!isRetry) return 'first';
    return this.#numbers.get(request, TIMED) === 1 ? 'after-timeout' : 'after-failure';
  }

  /** True if the request may use its scheduled attempt. */
  take(request: number, client: number, isRetry: boolean, { clock }: Policy): boolean {
    if (isRetry && this.#hasBudget) return true;
    const isTaken = this.#ruleOf(request, client).take(clock.now(), this.#occasion(request, isRetry));
    if (isTaken) this.#numbers.set(request, TAKEN, 1);
    return isTaken;
  }

  /** The request ends: a scheduled attempt that it has taken and not used goes back. */
  end(request: number, client: number, isRetry: boolean, nowMs: number): void {
    if (this.#numbers.get(request, TAKEN) === 0) return;
    this.#ruleOf(request, client).giveBack(nowMs, this.#occasion(request, isRetry));
  }

  /**
   * A scheduled attempt was skipped: how long until the next one, in milliseconds, or `undefined` if the request ends. 0 if it is sent all the
   * same.
   */
  nextChance(request: number, requests: Requests, policy: Policy): number | undefined {
    if (this.#setup.whenSkipped === 'fail') return undefined;
    const skipped = this.skipped(request) + 1;
    const attempts = requests.attempt(request) - 1;
    const delayMs = delayAfterSkip(policy, attempts + skipped);
    if (delayMs === undefined) return undefined;
    const leftMs = timeLeftMs(policy, requests.startedAtMs(request), policy.clock.now());
    if (delayMs > leftMs) {
      return attempts === 0 && this.#ruleOf(request, requests.client(request)).isPrompt ? 0 : undefined;
    }
    this.#numbers.set(request, SKIPPED, skipped);
    return delayMs;
  }

  /** How many scheduled attempts of a request were skipped. */
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
    const bad = BAD[outcome];
    if (bad !== undefined) this.#ruleOf(request, client).learn(nowMs, bad, isRetry, lateness);
  }

  /**
   * True if a hedge may be sent. A hedge counts as a retry. The throttle learns nothing from a hedge: a failed retry teaches nothing, and
   * an answer wins, and is the answer of the attempt.
   */
  takeForHedge(request: number, client: number, { clock }: Policy): boolean {
    const rule = this.#ruleOf(request, client);
    if (rule.state !== 'closed') return false;
    return this.#hasBudget || rule.take(clock.now(), 'after-failure');
  }

  /** The hedge was not sent. */
  giveBackHedge(request: number, client: number, nowMs: number): void {
    if (!this.#hasBudget) this.#ruleOf(request, client).giveBack(nowMs, 'after-failure');
  }
}
