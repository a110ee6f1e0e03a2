import { seesBodiesEnd } from '#platform';
import { HookError } from '../../base/errors.ts';
import { whenBodyEnds } from '../../bodies/watch.ts';
import { bring } from '../../call/permits.ts';
import { neverSent } from '../../http/failure.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { PartCall } from '../../policy/call-view.ts';
import { costOf, type Grant, type OwnBucket } from '../../policy/contracts.ts';
import type { BroughtLimit, Limit, Permit, Wait } from '../../policy/limit.ts';
import type { Part } from '../../policy/part.ts';

/**
 * Every attempt takes tokens from the bucket.
 *
 * @param endsItself true if its `acquire` keeps to the signal and to `maxWaitMs`
 */
export function bucketLimit(bucket: OwnBucket, endsItself = false): BroughtLimit {
  return bring(new BucketLimit(bucket, endsItself, BucketPermit));
}

/** As `bucketLimit`, for a bucket that charges tokens when they are settled: those of an attempt when its body has ended. */
export function settledLimit(bucket: OwnBucket, endsItself = false): BroughtLimit {
  return bring(new BucketLimit(bucket, endsItself, SettledPermit));
}

class BucketLimit implements Limit {
  readonly name = 'bucket';
  readonly isForInner = true;
  readonly bucket: OwnBucket;
  readonly #endsItself: boolean;
  readonly #Permit: typeof BucketPermit;

  constructor(bucket: OwnBucket, endsItself: boolean, Permit: typeof BucketPermit) {
    this.bucket = bucket;
    this.#endsItself = endsItself;
    this.#Permit = Permit;
  }

  take(call: PartCall, earlier: Permit | undefined): Permit | Wait | undefined {
    const { bucket } = this;
    const { outer, isInner } = call;
    // User code may send several requests: only the first is paid for.
    if (earlier instanceof PaidPermit || outer?.paidBuckets?.delete(bucket)) return new PaidPermit();
    if (isInner && outer?.bucketsTaken.includes(bucket)) return undefined;
    const before = earlier as BucketPermit | undefined;
    const held = before?.isOpen ? before : undefined;
    const gate = bucket.pausedBucketFor?.(call.request);
    let originGrant = held?.originGrant;
    if (gate !== undefined && originGrant === undefined) {
      originGrant = ask(gate, call, before?.waited);
      if (originGrant === undefined) return this.#waitFor(gate, call, before);
    }
    const grant = held?.grant ?? ask(bucket, call, before?.waited);
    if (grant !== undefined) {
      const permit = this.#permit(call, grant, originGrant);
      if (before?.waited) permit.waited = before.waited;
      return permit;
    }
    originGrant?.settle(0);
    // What is around it may hold the last tokens until this request has ended.
    return outer?.slotsHeld.includes(bucket) ? undefined : this.#waitFor(bucket, call, before);
  }

  #permit(call: PartCall, grant: Grant | undefined, originGrant?: Grant): BucketPermit {
    return new this.#Permit(this.bucket, call, grant, originGrant);
  }

  /** @param asked the bucket, or the gate of an origin that has paused */
  #waitFor(asked: OwnBucket, call: PartCall, before: BucketPermit | undefined): Wait {
    return {
      endsItself: this.#endsItself,
      acquire: async (options) => {
        const cost = costOf(call.policy, call.request);
        const grant = await asked.acquire({ ...options, cost, earlier: before?.waited });
        const permit =
          asked === this.bucket ? this.#permit(call, grant) : this.#permit(call, undefined, grant);
        permit.waited = grant;
        permit.waitedMs = grant.waitedMs;
        // The tokens of the other of the two may be lacking.
        permit.isPartial = true;
        return permit;
      },
    };
  }
}

function ask(bucket: OwnBucket, call: PartCall, earlier: Grant | undefined): Grant | undefined {
  const cost = costOf(call.policy, call.request);
  try {
    return bucket.tryAcquire(cost, earlier);
  } catch (error) {
    // Costs that the bucket does not have are the fault of what has returned them.
    const isWrong = error instanceof TypeError || error instanceof RangeError;
    throw isWrong && typeof call.policy.cost === 'function' ? new HookError('cost', error) : error;
  }
}

/** User code around the request has paid for this attempt. */
class PaidPermit implements Permit {
  cancel(): void {}
}

/** Tokens of the bucket, and of the gate of an origin that has paused. */
class BucketPermit implements Permit {
  readonly originGrant: Grant | undefined;
  protected readonly bucket: OwnBucket;
  protected readonly call: PartCall;
  readonly grant: Grant | undefined;
  isOpen = true;
  /** The last grant that was waited for, even if it was given back: a bucket that drains still serves its holder. */
  declare waited?: Grant | undefined;
  declare waitedMs?: number;
  declare isPartial?: boolean;

  constructor(bucket: OwnBucket, call: PartCall, grant: Grant | undefined, originGrant: Grant | undefined) {
    this.bucket = bucket;
    this.call = call;
    this.grant = grant;
    this.originGrant = originGrant;
    call.grant = grant;
    call.bucket = grant && bucket;
  }

  cancel(): void {
    this.isOpen = false;
    this.grant?.settle(0);
    this.originGrant?.settle(0);
    this.call.grant = undefined;
    this.call.bucket = undefined;
  }

  /** The tokens are spent: the next attempt takes its own. The call keeps the grant for its history. */
  settle(outcome: Outcome): void {
    const { grant, call } = this;
    // A grant counts this once.
    if (neverSent(outcome)) {
      grant?.settle(0);
      this.originGrant?.settle(0);
    }
    if (grant !== undefined) this.bucket.observe?.(outcome, grant, call.request, call.givenFeedback);
  }
}

/** Tokens that are charged when they are settled: those of an attempt when its body has ended. */
class SettledPermit extends BucketPermit {
  #isSettled = false;
  /** The tokens of an attempt whose response has come, and which are charged when its body has ended. */
  #open: Grant | undefined;

  override settle(outcome: Outcome): void {
    const { bucket, call, grant } = this;
    this.#isSettled = true;
    super.settle(outcome);
    // Another part may settle it once it knows the cost.
    if (grant === undefined || grant === call.meteredGrant) return;
    this.#open = grant;
    // The client then tells when the body has ended, as it does for a slot.
    call.bodyHolder ??= bucket;
  }

  release(once?: Promise<void>): void {
    const grant = this.#open;
    if (grant === undefined) return;
    this.#open = undefined;
    const { bucket, call } = this;
    if (call.bodyHolder === bucket) call.bodyHolder = undefined;
    const settle = (): void => grant.settle(grant.cost);
    if (once === undefined) settle();
    else void once.then(settle);
  }

  ended(): void {
    const { call, grant } = this;
    const isOpen = !this.#isSettled && grant !== undefined;
    if (isOpen && grant !== call.meteredGrant) this.#open = grant;
    if (isOpen || !(seesBodiesEnd || call.whenBodyEnds)) this.release();
  }
}

/**
 * A part that watches the body of each response to its end, for fetch in browsers and workers, and a bucket that charges at the end
 * (`settled`). Without it a browser charges with the response, and a worker when the response is garbage-collected, or after ten
 * minutes. Not needed beside `actualCost` or `concurrency`, which watch bodies as well, nor in Node, Bun and Deno, nor for undici and
 * axios. A value apart, so that programs without it do not carry its code.
 *
 * @example
 * ```ts
 * import { bodyEnds, createPolicy, quotaBucket } from '@ebb/core';
 *
 * const output = { refillPerSecond: 130, capacity: 8_000, settled: true };
 * const policy = createPolicy({ bucket: quotaBucket({ limits: { output } }), cost: 700, use: [bodyEnds] });
 * ```
 */
export const bodyEnds: Part = {
  name: 'body-ends',
  place: 'watching',
  begin: () => ({ whenBodyEnds }),
};
