import { callHook } from '../base/errors.ts';
import { isPromise } from '../base/promise.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { HeaderChanges } from './before-attempt.ts';
import { type Hop, headerChangesOf, isAway, type KeptKey, keyOf } from './header-changes.ts';
import { OutOfTime, settledWithin } from './out-of-time.ts';
import type { Turn } from './part.ts';
import type { Policy } from './policy.ts';
import type { Total } from './total.ts';

/** Makes the body of an attempt. Its argument is `over` once the body is not needed any more. */
export type MakeBody = (state: { readonly over: boolean }) => PromiseLike<void> | undefined;

type Dressed = HeaderChanges | undefined | Promise<HeaderChanges | undefined>;

/** Both changes: of the same header the later holds. */
function joined(one: Dressed, other: Dressed): Dressed {
  if (!isPromise(one) && !isPromise(other)) return { ...one, ...other };
  return Promise.all([one, other]).then(([first, second]) => ({ ...first, ...second }));
}

/** What a preparation needs to know of its request. */
export interface PreparationContext {
  readonly policy: Policy;
  readonly request: RequestTraits;
  /** `undefined` without a total timeout. */
  readonly total: Total | undefined;
  /** True for a layer that leaves retries to the one around it. */
  readonly isInner: boolean;
  /** There if the request follows a redirect. */
  readonly hop: Hop | undefined;
  /** The request of the call as the outermost layer has it; `undefined` for that layer itself. */
  readonly callRequest: RequestTraits | undefined;
}

/**
 * The user's code that an attempt needs before it can be sent: hooks that change its headers, and a body factory. It may
 * take long, so it ends with the caller's signal, with the timeout of the attempt, whose time it takes, and with the total
 * timeout.
 */
export class Preparation {
  /** The headers that the attempt changes; `undefined` for none. */
  changes: HeaderChanges | undefined;
  readonly #policy: Policy;
  readonly #request: RequestTraits;
  readonly #total: Total | undefined;
  readonly #isInner: boolean;
  readonly #hop: Hop | undefined;
  /** True if user code is not to be asked for headers. */
  readonly #isAway: boolean;
  #key: KeptKey | undefined;
  /** How long the code has taken for this attempt, in milliseconds. */
  #takenMs = 0;

  constructor({ policy, request, total, isInner, hop, callRequest }: PreparationContext) {
    this.#policy = policy;
    this.#request = request;
    this.#total = total;
    this.#isInner = isInner;
    this.#hop = hop;
    this.#isAway = isAway(request, hop, callRequest);
  }

  /** The key of ebb that every attempt carries; `undefined` before the first, and if there is none. */
  get idempotencyKey(): string | undefined {
    return this.#key?.isOurs ? this.#key.value : undefined;
  }

  /** True if every attempt carries the same idempotency key of ebb. */
  get isKeyed(): boolean {
    return this.#key?.isOurs === true && this.#key.isKept;
  }

  /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
  get isKeyLost(): boolean {
    return this.#key?.isKept === false;
  }

  /** Prepares for the next attempt. */
  reset(): void {
    this.changes = undefined;
    this.#takenMs = 0;
  }

  /** What is left of the timeout of the attempt, in milliseconds; `undefined` if it has none. */
  get attemptLeftMs(): number | undefined {
    const { attemptTimeoutMs } = this.#policy;
    return attemptTimeoutMs === undefined ? undefined : Math.max(0, attemptTimeoutMs - this.#takenMs);
  }

  /**
   * Asks the hooks for {@link changes}. Returns a promise if they return one.
   *
   * @throws HookError, at once or as a rejection, if a hook fails
   */
  dress(
    attempt: number,
    previous: Outcome | undefined,
    turns: readonly Turn[],
  ): PromiseLike<void> | undefined {
    const policy = this.#policy;
    if (attempt === 1 && !this.#isInner) this.#key ??= keyOf(policy, this.#request, this.#hop?.key);
    const next = { attempt, request: this.#request, previous, leftMs: this.#total?.leftMs };
    let made = headerChangesOf(policy, next, this.#key, this.#isAway);
    for (const turn of turns) {
      if (turn.dress === undefined || this.#isAway) continue;
      made = joined(
        made,
        callHook('use', () => turn.dress?.(next)),
      );
    }
    if (isPromise(made)) return made.then((changes) => this.#wear(changes));
    this.#wear(made);
    return undefined;
  }

  #wear(changes: HeaderChanges | undefined): void {
    this.changes = changes;
  }

  /**
   * Waits for user code, and returns how long it took, in milliseconds.
   *
   * @throws the signal's own reason when it aborts; OutOfTime; what the code throws
   */
  async settle(start: () => PromiseLike<void> | undefined, signal: AbortSignal | undefined): Promise<number> {
    const { clock, attemptTimeoutMs = Number.POSITIVE_INFINITY, totalTimeoutMs } = this.#policy;
    const beganMs = clock.now();
    const work = start();
    const ownMs = attemptTimeoutMs - this.#takenMs;
    const totalMs = this.#total?.leftMs ?? Number.POSITIVE_INFINITY;
    const isTotal = totalMs <= ownMs;
    const late = (): OutOfTime =>
      new OutOfTime((isTotal ? totalTimeoutMs : attemptTimeoutMs) as number, isTotal);
    if (work !== undefined)
      await settledWithin(work, { clock, signal, leftMs: Math.min(ownMs, totalMs), late });
    const tookMs = clock.now() - beganMs;
    this.#takenMs += tookMs;
    if (this.#takenMs >= attemptTimeoutMs) throw new OutOfTime(attemptTimeoutMs, false);
    return tookMs;
  }

  /**
   * Calls what makes the body, and returns how long that took, in milliseconds.
   *
   * @throws as {@link settle}
   */
  async makeBody(make: MakeBody, signal: AbortSignal | undefined): Promise<number> {
    const state = { over: false };
    try {
      return await this.settle(() => make(state), signal);
    } finally {
      state.over = true;
    }
  }
}
