import type { Clock, Policy, PolicyOptions, RequestTraits } from '@ebb/core';
import { callHook, countClient, createPolicy, mustTrust, originOf } from '@ebb/core/adapter';
import {
  type Check,
  type Complete,
  callable,
  countingNumber,
  devText,
  methodsOr,
  must,
  notNegative,
  number,
  type OptionTable,
  POLICY,
  positive,
  readOptions,
  report,
  worker,
} from '@ebb/core/internal';

import { type HedgeState, newHedgeState } from './rule.ts';

/** A try that may outlast its delay: one of a ring. */
export interface DueTry {
  next: DueTry;
  previous: DueTry;
  /** When it is hedged, in milliseconds on the clock of the policy. */
  dueMs: number;
  /** It has outlasted its delay, and has left the ring. */
  due(): void;
}

/** Takes one out of its ring. Does nothing if it is in none. */
export function leave(one: DueTry): void {
  one.previous.next = one.next;
  one.next.previous = one.previous;
  one.next = one;
  one.previous = one;
}

/**
 * The requests with one key: what is known of them, and those that may still be hedged. All have one timer: most settle before
 * their delay is over, and a timer for each would take twice as long as all the rest. Their delays are alike, so the first of them is
 * due first, give or take a step of the learned delay.
 */
export class HedgeKey implements DueTry {
  next: DueTry = this;
  previous: DueTry = this;
  readonly dueMs: number = 0;
  readonly state: HedgeState;
  readonly #clock: Clock;
  #isArmed = false;

  constructor(state: HedgeState, clock: Clock) {
    this.state = state;
    this.#clock = clock;
  }

  /** Due one delay after its `dueMs`; never, while the delay is not known. */
  join(one: DueTry): void {
    const { delayMs } = this.state;
    if (delayMs === Infinity) return;
    one.dueMs += delayMs;
    // In a worker the timer of one request is not there for others.
    const ring = worker ? new HedgeKey(this.state, this.#clock) : this;
    ring.#add(one, delayMs);
  }

  #add(one: DueTry, delayMs: number): void {
    one.next = this;
    one.previous = this.previous;
    one.previous.next = one;
    this.previous = one;
    if (!this.#isArmed) this.#arm(delayMs);
  }

  #arm(delayMs: number): void {
    this.#isArmed = true;
    // A request that is under way keeps the process alive by itself.
    this.#clock.schedule(() => this.due(), delayMs, true);
  }

  /** The timer has fired. If all have settled, it is set again by the next request. */
  due(): void {
    const nowMs = this.#clock.now();
    this.#isArmed = false;
    for (let one = this.next; one !== this && one.dueMs <= nowMs; one = this.next) {
      leave(one);
      one.due();
    }
    if (this.next !== this && !this.#isArmed) this.#arm(this.next.dueMs - nowMs);
  }
}

/** Options of `hedged` of each client. */
export interface HedgeOptions {
  /**
   * The policy of the client above. A hedge takes from its bucket, its concurrency limit and its budget, and its `classify` says
   * which responses are failures.
   */
  readonly policy: PolicyOptions;
  /**
   * The share of the first tries that settle before a hedge is sent, while all saved hedges are there: 0.95 hedges one request in twenty.
   * The share rises to 0.995 as hedges are spent, so that some are left for the slowest requests. Above 0 and below 1. The delay of each
   * key is learned from the share.
   * @default 0.95
   */
  readonly quantile?: number | undefined;
  /**
   * A fixed delay, in milliseconds, in place of one that is learned.
   * @default none
   */
  readonly delayMs?: number | undefined;
  /**
   * The shortest delay that is learned, in milliseconds.
   * @default 1
   */
  readonly minDelayMs?: number | undefined;
  /**
   * The most hedges of one try, each a delay after the one before.
   * @default 1
   */
  readonly maxHedges?: number | undefined;
  /**
   * The part of a hedge that each request pays: with 0.015 three requests in two hundred may be hedged in vain. A hedge that wins costs
   * nothing. Above 0.
   * @default 0.015
   */
  readonly share?: number | undefined;
  /**
   * The methods that are hedged: a list, or `'all'`. A hedged request is carried out twice at the same time, and a server may answer
   * 409 to the second of two with one `Idempotency-Key`.
   * @default ['GET', 'HEAD', 'OPTIONS', 'QUERY']
   */
  readonly methods?: 'all' | readonly string[] | undefined;
  /**
   * The key of a request. Requests with the same key share a delay, and what they have paid.
   * @default the origin of its URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * Where a hedge is sent in place of the origin of the request, such as another region. It gets the headers of the request,
   * credentials included; `beforeAttempt` is asked again with its URL. A policy with that hook sends it to its `trustedOrigins` alone.
   * @default the same origin
   */
  readonly to?: ((request: RequestTraits) => string) | undefined;
}

/** The options that have no default. */
type Unset = 'delayMs' | 'to';

/** Validated options with all defaults applied. */
type HedgeSetup = Complete<HedgeOptions, Unset> & { readonly policy: Policy };

const checkPolicy: Check = (name, value) => must(name, devText('a policy'), value, Object(value) === value);

const checkQuantile: Check = number(devText('a number > 0 and < 1'), (value) => value > 0 && value < 1);

const HEDGE_OPTIONS: OptionTable<HedgeOptions, Unset> = {
  policy: { check: checkPolicy, required: true },
  quantile: { check: checkQuantile, default: 0.95 },
  delayMs: { check: notNegative },
  minDelayMs: { check: notNegative, default: 1 },
  maxHedges: { check: countingNumber, default: 1 },
  share: { check: positive, default: 0.015 },
  methods: {
    check: methodsOr(devText("'all', or a list of methods"), 'all'),
    default: ['GET', 'HEAD', 'OPTIONS', 'QUERY'],
  },
  keyOf: { check: callable, default: originOf },
  to: { check: callable },
};

/** @throws TypeError, RangeError for a wrong option */
function readHedgeOptions(caller: string, options: HedgeOptions): HedgeSetup {
  const setup = readOptions<HedgeOptions, Unset>(caller, options, HEDGE_OPTIONS);
  const policy = createPolicy(setup.policy);
  if (setup.to !== undefined) mustTrust(caller, policy);
  return { ...setup, policy };
}

/** Marks clients that hedge, and the options of their requests, for all copies of this package in a program. */
export const HEDGES: unique symbol = Symbol.for('@ebb/core hedges');

/** With more keys all are forgotten, and learn anew. */
const MOST_KEYS = 10_000;

/** The state that all requests of a hedged client share. */
export class HedgePlan {
  readonly setup: HedgeSetup;
  readonly #keys = new Map<string, HedgeKey>();

  /** @throws TypeError, RangeError for a wrong option */
  constructor(caller: string, options: HedgeOptions) {
    this.setup = readHedgeOptions(caller, options);
    // So that the client above shows its call, of which a hedge needs the header functions.
    if (this.setup.policy[POLICY].hasHeaderHooks) countClient();
  }

  /**
   * @param name what it was given as
   * @throws TypeError if what sends the tries is no function, RangeError if it hedges already: each try would be hedged again
   */
  mustNotHedge(name: string, below: unknown): void {
    must(
      name,
      devText('a function that does not hedge already'),
      below,
      typeof below === 'function',
      !(HEDGES in Object(below)),
    );
  }

  /** Marks what the user gets. */
  mark<F extends object>(client: F): F {
    return Object.assign(client, { [HEDGES]: true });
  }

  /** @param method in upper case */
  hedges(method: string): boolean {
    const { methods } = this.setup;
    return methods === 'all' || methods.includes(method);
  }

  /** @throws HookError if `keyOf` throws */
  keyOf(request: RequestTraits): HedgeKey {
    const { keyOf, policy } = this.setup;
    const name = callHook('keyOf', () => keyOf(request));
    let key = this.#keys.get(name);
    if (key === undefined) {
      if (this.#keys.size === MOST_KEYS) this.#keys.clear();
      key = new HedgeKey(newHedgeState(this.setup), policy.clock);
      this.#keys.set(name, key);
    }
    return key;
  }

  /** The URL of a hedge, if it goes to another origin; `null` if it is not sent, because that is not known. */
  target(request: RequestTraits): string | null | undefined {
    const { to } = this.setup;
    if (to === undefined) return undefined;
    try {
      const { protocol, host } = new URL(to(request));
      // A host without a port leaves the port as it is.
      return Object.assign(new URL(request.url), { port: '', protocol, host }).href;
    } catch (error) {
      // The request itself is well.
      report('to', to, error);
      return null;
    }
  }
}
