import type { Outcome, ReadFeedback, RequestTraits } from '../http/outcome.ts';

/** The cost of a request by unit, such as `{ requests: 1, outputTokens: 700 }`. */
export type Costs = Readonly<Record<string, number>>;

/** A `cost` of a policy. */
export type CostOption = number | Costs | ((request: RequestTraits) => number | Costs);

/** A `cost` that learns from the actual costs of requests. */
export interface CostLearner {
  /** Returns a function that learns from the answer to a request. The function does not hold the request. */
  learnerFor(request: object): (actual: number | Costs) => void;
}

/** Options of {@link TokenBucket.acquire}. */
export interface AcquireOptions {
  /**
   * Tokens: above 0, and at most the capacity. At a bucket of several units the tokens of each, such as
   * `{ requests: 1, outputTokens: 700 }`: a unit that is not named costs 0, and a number is the cost in each unit.
   * @default 1
   */
  readonly cost?: number | Costs | undefined;
  /**
   * Aborts the wait. `acquire` then rejects with the signal's own reason.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * The longest wait, in milliseconds. If it is known that the wait will be longer, `acquire` rejects at once.
   * @default the `maxWaitMs` of the bucket or the limit
   */
  readonly maxWaitMs?: number | undefined;
  /**
   * A whole number from -7 to 7. The highest goes first. Other than 0 only at a limit with `queue: priorityQueue()`.
   * @default 0
   */
  readonly priority?: number | undefined;
  /**
   * The key (tenant) of the request, for a limit with `queue: fairQueue()`, which gives each key its share.
   * @default that of all requests without one
   */
  readonly fairKey?: string | undefined;
  /**
   * True for a retry, which goes before new requests.
   * @default false
   */
  readonly retry?: boolean | undefined;
  /**
   * A grant of this bucket that the same request was given before and has returned because something else was lacking. With it, a bucket that drains does not refuse the request as a new one.
   * @default none
   */
  readonly earlier?: Grant | undefined;
  /**
   * The request that the tokens are for: its origin may have asked for a pause.
   * @default none: a pause of a single origin does not apply
   */
  readonly request?: RequestTraits | undefined;
}

/** Tokens that were taken from a bucket. */
export interface Grant {
  /** In tokens; of a bucket of several units the tokens of each. */
  readonly cost: number | Costs;
  /** How long the request waited for them, in milliseconds. */
  readonly waitedMs: number;
  /** In milliseconds since the epoch, on the clock of the bucket. */
  readonly grantedAtMs: number;
  /** False if the tokens were not available, and the bucket lets such requests pass (`nonConforming: 'mark'`). */
  readonly conforming: boolean;
  /**
   * Corrects the cost once it is known. Surplus tokens go back, as far as the bucket has had room for them since. Missing
   * tokens are taken, which may leave the bucket in debt. A unit that is not named stays as it was taken. Only the first call
   * counts.
   *
   * @throws TypeError, RangeError if a cost is negative or not finite, or the bucket has no such unit
   */
  settle(actualCost: number | Costs): void;
  /** The unit that was lacking, if the bucket has several and the request has waited. */
  readonly unit?: string | undefined;
}

/** A bucket of tokens that refills at a rate. Requests take tokens before they are sent. */
export interface BucketMethods {
  /**
   * Takes the tokens if they are available now and no other request waits for them; returns `undefined` if not.
   *
   * @param cost see {@link AcquireOptions.cost}
   * @param earlier see {@link AcquireOptions.earlier}
   * @param request see {@link AcquireOptions.request}
   * @throws TypeError, RangeError if the bucket can never hold the cost
   */
  tryAcquire(cost?: number | Costs, earlier?: Grant, request?: RequestTraits): Grant | undefined;
  /**
   * Waits for its turn, and takes the tokens: first come, first served in the order of its `queue`.
   *
   * Rejects with a `NotSentError` if the tokens cannot be had within the limits of the options or the bucket, with the
   * signal's own reason when it aborts, and with a `TypeError` or `RangeError` for wrong options.
   */
  acquire(options?: AcquireOptions): Promise<Grant>;
  /**
   * Called with the outcome of each request that it granted tokens to. A bucket may pause, or change its rate.
   *
   * @param request the request, whose origin the response is about
   * @param read how the policy reads responses, if it was given a `feedback`; else the bucket reads by its own
   */
  observe?(outcome: Outcome, grant: Grant, request?: RequestTraits, read?: ReadFeedback | false): void;
  /** True if a grant is charged when it is settled: a policy then settles each at the end of its attempt. */
  readonly chargesOnCompletion?: boolean;
  /**
   * Lowers the tokens of the bucket to the number that the server reports as left, and never raises them. Tokens in flight that
   * are charged when they are settled are subtracted. A unit that is not named stays as it is.
   *
   * @param answered the grant of the request whose answer reports the number. Later grants are subtracted as well, because the
   * server may not have counted them. An answer overtaken by the answer to a later request changes nothing
   * @throws TypeError, RangeError if a number is negative or not finite, or the bucket has no such unit
   */
  atMost?(left: number | Costs, answered?: Grant): void;
  /** How a policy with this bucket reads responses, unless it has a `feedback` of its own. `false`: as one without a bucket. */
  readonly feedback?: ReadFeedback | false;
}

/** The right of one request to be in flight. */
export interface Slot {
  /** How long the request waited for it, in milliseconds. */
  readonly waitedMs: number;
  /** Passes the slot on to the next request. Only the first call counts. */
  release(): void;
}

/** The state of a {@link ConcurrencyLimit}. */
export interface ConcurrencyStats {
  /** Slots that are held now. */
  readonly inUse: number;
  readonly maxConcurrent: number;
  /** Requests that wait. */
  readonly waiting: number;
  /** Requests that {@link ConcurrencyLimit.acquire} refused so far, without aborted ones. */
  readonly refused: number;
}

/** Limits the requests in flight, from the start of an attempt to the end of its response body. */
export interface SlotMethods {
  /** Takes a slot if one is free now and no other request waits for it; returns `undefined` if not. */
  tryAcquire(): Slot | undefined;
  /**
   * Waits for its turn, and takes a slot: first come, first served in the order of its `queue`.
   *
   * Rejects with a `NotSentError` if no slot can be had within the limits, with the signal's own reason when it aborts,
   * and with a `TypeError` or `RangeError` for wrong options.
   */
  acquire(options?: Omit<AcquireOptions, 'cost'>): Promise<Slot>;
  /** The state of the limit now. */
  stats(): ConcurrencyStats;
}

/** Limits retries to a share of the traffic. */
export interface BudgetMethods {
  /** The number of retries that it allows now; below one, the probability of one. */
  readonly balance: number;
  /** A request starts. A budget that leases its retries from elsewhere can do so now, before the request fails. */
  begin?(): void;
  /** A request has ended, with any outcome: once for each {@link begin}. */
  end?(): void;
  /** A request was successful. */
  deposit(): void;
  /** Takes one retry; returns false if there is none. */
  withdraw(): boolean;
  /** Gives the last withdrawal back, because its retry was not sent. */
  refund?(): void;
  /** True if discarding this budget loses nothing. A budget without it is never evicted by `perKey`. */
  readonly isIdle?: boolean;
}
