import { keepAlive } from '../base/clock.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import {
  type AcquireOptions,
  type ConcurrencyLimit,
  forRequest,
  type Grant,
  type Slot,
  type TokenBucket,
} from '../limits/contracts.ts';
import { costOf } from '../policy/cost.ts';
import { givenFeedback, type Policy } from '../policy/policy.ts';
import type { Surroundings } from './layers.ts';

/** A bucket serves its queue in a microtask after tokens have come back. What it grants then is known when this settles. */
const soon = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await undefined;
};

/** What an attempt lacks: a slot, the end of a pause of its origin, or tokens. */
export type Lack = 'slot' | 'origin' | 'tokens';

/**
 * The slot and the tokens of an attempt. It takes all of them or none: while it waits for one it holds no other, so that a
 * request to a paused origin keeps no slot from requests that could use it. The attempt is sent in the turn of the event
 * loop in which its tokens were granted.
 */
export class Admission {
  readonly #policy: Policy;
  readonly #request: RequestTraits;
  /** The layers around this one took tokens from these buckets for the same request. */
  readonly #takenBuckets: readonly object[];
  /** The calls around this one hold slots of these limits. */
  readonly #heldLimits: readonly ConcurrencyLimit[];
  /** The buckets from which user code around this request has paid for it. */
  readonly #paid: Set<object> | undefined;
  #isPaid = false;
  readonly #needsSlot: boolean;
  #slot: Slot | undefined;
  #limit: ConcurrencyLimit | undefined;
  #bucket: TokenBucket | undefined;
  #grant: Grant | undefined;
  #originGrant: Grant | undefined;
  /** The last grant that was waited for, even if it was given back: a bucket that drains still serves its holder. */
  #earlier: Grant | undefined;
  #waitedMs = 0;
  #slotMs = 0;
  /** What was waited for before everything was given back: the attempt keeps its place in the queues. */
  #placeMs: number | undefined;

  constructor(policy: Policy, request: RequestTraits, { outer, slotsOf, maker }: Surroundings) {
    this.#policy = policy;
    this.#request = request;
    this.#needsSlot = outer === undefined;
    this.#takenBuckets = outer?.tookFrom ?? [];
    this.#heldLimits = slotsOf;
    this.#paid = maker?.paid;
  }

  /** How long the attempt has waited for its slot and its tokens, in milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** The part of it that it waited for its slot. */
  get slotMs(): number {
    return this.#slotMs;
  }

  get slot(): Slot | undefined {
    return this.#slot;
  }

  /** The limit that the slot belongs to. */
  get limit(): ConcurrencyLimit | undefined {
    return this.#slot === undefined ? undefined : this.#limit;
  }

  /** The limit that a slot was last asked of. */
  get wanted(): ConcurrencyLimit | undefined {
    return this.#limit;
  }

  /** The bucket that the tokens were taken from. */
  get bucket(): TokenBucket | undefined {
    return this.#bucket;
  }

  /** The tokens. */
  get grant(): Grant | undefined {
    return this.#grant;
  }

  /** Prepares for the next attempt. The slot must have been released before. */
  reset(): void {
    this.#bucket = undefined;
    this.#grant = undefined;
    this.#originGrant = undefined;
    this.#earlier = undefined;
    this.#waitedMs = 0;
    this.#slotMs = 0;
    this.#placeMs = undefined;
    this.#isPaid = false;
  }

  /** Takes what is not held yet, if all of it is available now. If not, gives everything back and returns what is lacking. */
  take(): Lack | undefined {
    const lack = this.#takeSlot() ?? this.#takeTokens();
    if (lack !== undefined) this.giveBack();
    return lack;
  }

  #takeSlot(): Lack | undefined {
    const { concurrency } = this.#policy;
    if (concurrency === undefined || !this.#needsSlot || this.#slot !== undefined) return undefined;
    this.#limit = forRequest(concurrency, this.#request, this.#policy.key);
    // A deadlock otherwise: it would wait for a call that waits for it.
    if (this.#heldLimits.includes(this.#limit)) return undefined;
    this.#slot = this.#limit.tryAcquire();
    return this.#slot === undefined ? 'slot' : undefined;
  }

  #takeTokens(): Lack | undefined {
    const { bucket, key } = this.#policy;
    if (bucket === undefined) return undefined;
    // Looked up each time: an idle bucket may have been evicted since, and another made.
    const own = forRequest(bucket, this.#request, key);
    if (this.#isTakenAround(own)) return undefined;
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

  /** True if what is around the request took these tokens for it. */
  #isTakenAround(bucket: TokenBucket): boolean {
    // Of user code that sends several requests, only the first is paid for.
    this.#isPaid ||= this.#paid?.delete(bucket) === true;
    return this.#isPaid || this.#takenBuckets.includes(bucket);
  }

  /**
   * Waits until everything is held.
   *
   * @param options returns the options of the next wait, given how long the attempt has waited so far
   * @param lacking what {@link take} has just returned, if it was called
   * @throws the signal's reason, ThrottledError or HookError; then nothing is held
   */
  async wait(options: (waitedMs: number) => AcquireOptions, lacking?: Lack): Promise<void> {
    for (let lack = lacking ?? this.take(); lack !== undefined; lack = this.take()) {
      this.#waitedMs += await this.#waitFor(lack, options(this.#waitedMs));
    }
  }

  /** Returns how long it has waited this time, in milliseconds. */
  async #waitFor(lack: Lack, given: AcquireOptions): Promise<number> {
    const { concurrency, bucket, key } = this.#policy;
    const placeMs = this.#placeMs;
    const options = placeMs === undefined ? given : { ...given, waitedMs: placeMs };
    const newly = (waitedMs = 0): number => Math.max(0, waitedMs - (placeMs ?? 0));
    if (lack === 'slot' && concurrency !== undefined) {
      this.#limit = forRequest(concurrency, this.#request, key);
      // Nothing else may do so: the slots may be held by responses that have arrived, but are not read.
      this.#slot = await keepAlive(this.#limit.acquire(options));
      const waitedMs = newly(this.#slot.waitedMs);
      this.#slotMs += waitedMs;
      return waitedMs;
    }
    if (bucket === undefined) return 0;
    const own = forRequest(bucket, this.#request, key);
    const tokens = { ...options, cost: this.#cost(), earlier: this.#earlier };
    if (lack === 'origin') {
      this.#originGrant = await own.gateFor?.(this.#request)?.acquire(tokens);
      this.#earlier = this.#originGrant ?? this.#earlier;
      return newly(this.#originGrant?.waitedMs);
    }
    this.#grant = await own.acquire(tokens);
    this.#earlier = this.#grant;
    this.#bucket = own;
    return newly(this.#grant.waitedMs);
  }

  /**
   * Changes the tokens, which user code has outlasted, for new ones: other requests may have left in the meantime, and several
   * that were held up would leave together. The attempt keeps its place in the queue, so it gets its own tokens back unless
   * the bucket has been emptied. Holds no slot while it waits.
   *
   * @param heldMs how long it has had them
   * @throws as {@link wait}
   */
  async renew(heldMs: number, options: (waitedMs: number) => AcquireOptions): Promise<void> {
    const bucket = this.#bucket;
    const grant = this.#grant;
    if (bucket === undefined || grant === undefined) return this.wait(options);
    const { cost } = grant;
    // In front of those that came in the same millisecond.
    this.#placeMs = this.#waitedMs + heldMs + 1;
    // Asked before the old ones go back, which would serve those behind it.
    const asked = bucket.acquire({
      ...options(this.#waitedMs),
      cost,
      earlier: grant,
      waitedMs: this.#placeMs,
    });
    let renewed: Grant | undefined;
    const again = asked.then(
      (granted) => {
        renewed = granted;
      },
      (error: unknown) => {
        // A bucket without a queue refuses what it has not yet got back.
        renewed = bucket.tryAcquire(cost, grant);
        if (renewed === undefined) throw error;
      },
    );
    // Not those of a gate: an origin that has paused lets requests through one by one.
    grant.settle(0);
    this.#grant = undefined;
    await Promise.race([again, soon()]);
    if (renewed === undefined) this.freeSlot();
    await again;
    this.#grant = renewed;
    await this.wait(options);
  }

  /** Shows the outcome of the attempt to the bucket that its tokens are from. */
  observe(outcome: Outcome): void {
    if (this.#grant !== undefined)
      this.#bucket?.observe?.(outcome, this.#grant, this.#request, givenFeedback(this.#policy));
  }

  /** Gives everything back, because nothing is sent for it. */
  giveBack(): void {
    this.freeSlot();
    this.returnTokens();
    this.#grant = undefined;
    this.#originGrant = undefined;
  }

  /** Gives the tokens back, because nothing was sent for them. A grant counts this once. */
  returnTokens(): void {
    this.#grant?.settle(0);
    this.#originGrant?.settle(0);
  }

  /** Releases the slot, now or when its connection is free. */
  freeSlot(released?: Promise<void>): void {
    const slot = this.#slot;
    this.#slot = undefined;
    if (slot === undefined || released === undefined) slot?.release();
    else void released.then(() => slot.release());
  }

  #cost(): number {
    return costOf(this.#policy, this.#request);
  }
}
