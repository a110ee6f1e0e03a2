import { positive } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import type { RequestTraits } from '../http/outcome.ts';
import {
  type AcquireOptions,
  type ConcurrencyLimit,
  forRequest,
  type Grant,
  type Slot,
  type TokenBucket,
} from '../limits/contracts.ts';
import type { Policy } from '../policy/policy.ts';

/** What a request lacks: a slot, a word of its origin that it may go on, or tokens. */
export type Lack = 'slot' | 'origin' | 'tokens';

/**
 * What an attempt must have before it is sent: a slot and tokens, all of it or nothing. While it waits for one
 * of them it holds no other, so that a request to an origin that is paused keeps no slot from those that could
 * use it; and it is sent in the turn in which the tokens were granted.
 */
export class Admission {
  readonly #policy: Policy;
  readonly #request: RequestTraits;
  /** Layers above took tokens from these, or hold slots of these, for this very request. */
  readonly #takenBuckets: readonly object[];
  readonly #heldLimits: readonly ConcurrencyLimit[];
  readonly #needsSlot: boolean;
  #slot: Slot | undefined;
  #limit: ConcurrencyLimit | undefined;
  #bucket: TokenBucket | undefined;
  #grant: Grant | undefined;
  #originGrant: Grant | undefined;
  /** The last grant that was waited for, even if it was given back: a bucket that drains lets its holder in. */
  #earlier: Grant | undefined;
  /** How long was waited for all of it, in milliseconds. */
  waitedMs = 0;

  constructor(
    policy: Policy,
    request: RequestTraits,
    needsSlot: boolean,
    takenBuckets: readonly object[],
    heldLimits: readonly ConcurrencyLimit[],
  ) {
    this.#policy = policy;
    this.#request = request;
    this.#needsSlot = needsSlot;
    this.#takenBuckets = takenBuckets;
    this.#heldLimits = heldLimits;
  }

  get slot(): Slot | undefined {
    return this.#slot;
  }

  /** The limit that the slot is of. */
  get limit(): ConcurrencyLimit | undefined {
    return this.#slot === undefined ? undefined : this.#limit;
  }

  /** The bucket that tokens were taken from, and those. */
  get bucket(): TokenBucket | undefined {
    return this.#bucket;
  }
  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** For the next attempt. The slot must have been given away before. */
  reset(): void {
    this.#bucket = undefined;
    this.#grant = undefined;
    this.#originGrant = undefined;
    this.#earlier = undefined;
    this.waitedMs = 0;
  }

  /**
   * Takes what is not held yet, if all of it is to be had now; gives everything back if not, and returns what
   * is lacking.
   */
  take(): Lack | undefined {
    const lack = this.#takeSlot() ?? this.#takeTokens();
    if (lack !== undefined) this.giveBack();
    return lack;
  }

  #takeSlot(): Lack | undefined {
    const { concurrency } = this.#policy;
    if (concurrency === undefined || !this.#needsSlot || this.#slot !== undefined) return undefined;
    this.#limit = forRequest(concurrency, this.#request, this.#policy.key);
    // It would wait for a call that waits for it.
    if (this.#heldLimits.includes(this.#limit)) return undefined;
    this.#slot = this.#limit.tryAcquire();
    return this.#slot === undefined ? 'slot' : undefined;
  }

  #takeTokens(): Lack | undefined {
    const { bucket, key } = this.#policy;
    if (bucket === undefined) return undefined;
    // Anew each time: one that is let go while it is idle has a successor.
    const own = forRequest(bucket, this.#request, key);
    if (this.#takenBuckets.includes(own)) return undefined;
    const origin = own.gateFor?.(this.#request);
    if (origin !== undefined && this.#originGrant === undefined) {
      this.#originGrant = origin.tryAcquire(this.#cost(), this.#earlier);
      if (this.#originGrant === undefined) return 'origin';
    }
    if (this.#grant !== undefined) return undefined;
    this.#bucket = own;
    this.#grant = own.tryAcquire(this.#cost(), this.#earlier);
    return this.#grant === undefined ? 'tokens' : undefined;
  }

  /**
   * Waits until all of it is held.
   *
   * @param lacking what {@link take} has just returned, if it was asked
   * @throws the signal's reason, ThrottledError, HookError; nothing is held then
   */
  async wait(ask: () => AcquireOptions, lacking?: Lack): Promise<void> {
    for (let lack = lacking ?? this.take(); lack !== undefined; lack = this.take()) {
      this.waitedMs += await this.#waitFor(lack, ask());
    }
  }

  async #waitFor(lack: Lack, ask: AcquireOptions): Promise<number> {
    const { concurrency, bucket, key } = this.#policy;
    if (lack === 'slot' && concurrency !== undefined) {
      this.#limit = forRequest(concurrency, this.#request, key);
      this.#slot = await this.#limit.acquire(ask);
      return this.#slot.waitedMs;
    }
    if (bucket === undefined) return 0;
    const own = forRequest(bucket, this.#request, key);
    const asked = { ...ask, cost: this.#cost(), earlier: this.#earlier };
    if (lack === 'origin') {
      this.#originGrant = await own.gateFor?.(this.#request)?.acquire(asked);
      this.#earlier = this.#originGrant ?? this.#earlier;
      return this.#originGrant?.waitedMs ?? 0;
    }
    this.#grant = await own.acquire(asked);
    this.#earlier = this.#grant;
    this.#bucket = own;
    return this.#grant.waitedMs;
  }

  /** Gives all of it back: nothing is sent for it. */
  giveBack(): void {
    this.freeSlot();
    this.returnTokens();
    this.#grant = undefined;
    this.#originGrant = undefined;
  }

  /** Gives the tokens back: nothing was sent for them. A grant counts this once. */
  returnTokens(): void {
    this.#grant?.settle(0);
    this.#originGrant?.settle(0);
  }

  /** Gives the slot back, now or when its connection is free. */
  freeSlot(released?: Promise<void>): void {
    const slot = this.#slot;
    this.#slot = undefined;
    if (slot === undefined || released === undefined) slot?.release();
    else void released.then(() => slot.release());
  }

  #cost(): number {
    const { cost } = this.#policy;
    if (typeof cost === 'number') return cost;
    return callHook('cost', () => {
      const tokens = cost(this.#request);
      positive('its result', tokens);
      return tokens;
    });
  }
}
