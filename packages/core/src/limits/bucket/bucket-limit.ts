import { seesBodiesEnd } from '#platform';
import { HookError } from '../../base/errors.ts';
import { whenBodyEnds } from '../../bodies/watch.ts';
import { neverSent } from '../../http/failure.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { BucketMethods, Grant } from '../../policy/contracts.ts';
import { costOf } from '../../policy/cost.ts';
import type { BroughtLimit, Limit, Permit, Wait } from '../../policy/limit.ts';
import type { Plugin } from '../../policy/plugin.ts';

/** Every attempt takes tokens from a bucket of ebb. */
export function bucketLimit(bucket: BucketMethods): BroughtLimit {
  return { limit: new BucketLimit(bucket, BucketPermit) };
}

/** As `bucketLimit`, for a bucket that charges tokens when they are settled: those of an attempt when its body has ended. */
export function completionLimit(bucket: BucketMethods): BroughtLimit {
  return { limit: new BucketLimit(bucket, SettledPermit) };
}

/** Every attempt takes tokens from a bucket. */
class BucketLimit implements Limit {
  readonly name = 'bucket';
  readonly isForInner = true;
  readonly bucket: BucketMethods;
  readonly #Permit: typeof BucketPermit;

  constructor(bucket: BucketMethods, Permit: typeof BucketPermit) {
    this.bucket = bucket;
    this.#Permit = Permit;
  }

  take(call: CallView, earlier: Permit | undefined): Permit | Wait | undefined {
    const { bucket } = this;
    const { outer, isInner } = call;
    // User code may send several requests: only the first is paid for.
    if (earlier instanceof PaidPermit || outer?.paidBuckets?.delete(bucket)) return new PaidPermit();
    if (isInner && outer?.bucketsTaken.includes(bucket)) return undefined;
    const waited = (earlier as BucketPermit | undefined)?.waited;
    const grant = ask(bucket, call, waited);
    if (grant !== undefined) return this.#permit(call, grant, waited);
    // Do not wait for an outer call: it may hold the last tokens until this request has ended (deadlock).
    return outer?.slotsHeld.includes(bucket) ? undefined : this.#waitFor(call, waited);
  }

  #permit(call: CallView, grant: Grant, waited: Grant | undefined): BucketPermit {
    const permit = new this.#Permit(this.bucket, call, grant);
    if (waited) permit.waited = waited;
    return permit;
  }

  #waitFor(call: CallView, waited: Grant | undefined): Wait {
    return {
      endsItself: true,
      acquire: async (options) => {
        const { policy, request } = call;
        const cost = costOf(policy, request);
        const grant = await this.bucket.acquire({ ...options, cost, earlier: waited, request });
        const permit = this.#permit(call, grant, grant);
        permit.waitedMs = grant.waitedMs;
        return permit;
      },
    };
  }
}

/** Takes the tokens of an attempt if they are there. */
function ask(
  bucket: BucketMethods,
  { policy, request }: CallView,
  earlier: Grant | undefined,
): Grant | undefined {
  const cost = costOf(policy, request);
  try {
    return bucket.tryAcquire(cost, earlier, request);
  } catch (error) {
    // Costs that the bucket does not have are the fault of the function `cost`.
    const isWrong = error instanceof TypeError || error instanceof RangeError;
    throw isWrong && typeof policy.cost === 'function' ? new HookError('cost', error) : error;
  }
}

/** User code around the request has paid for this attempt. */
class PaidPermit implements Permit {
  cancel(): void {}
}

/** Tokens of the bucket. */
class BucketPermit implements Permit {
  protected readonly bucket: BucketMethods;
  protected readonly call: CallView;
  readonly grant: Grant;
  /** The last grant after a wait, even if it was given back. Passed as `earlier`: a draining bucket still serves its holder. */
  declare waited?: Grant | undefined;
  declare waitedMs?: number;

  constructor(bucket: BucketMethods, call: CallView, grant: Grant) {
    this.bucket = bucket;
    this.call = call;
    this.grant = grant;
    call.grant = grant;
    call.bucket = bucket;
  }

  cancel(): void {
    const { call } = this;
    this.grant.settle(0);
    call.grant = undefined;
    call.bucket = undefined;
  }

  /** The tokens are spent: the next attempt takes its own. The call keeps the grant for its history. */
  settle(outcome: Outcome): void {
    const { bucket, call, grant } = this;
    // A grant counts this once.
    if (neverSent(outcome)) grant.settle(0);
    bucket.observe?.(outcome, grant, call.request, call.givenFeedback);
  }
}

/** Tokens that are charged when they are settled: those of an attempt when its body has ended. */
class SettledPermit extends BucketPermit {
  /** The tokens of an attempt whose response has come, and which are charged when its body has ended. */
  #open: Grant | undefined;

  override settle(outcome: Outcome): void {
    const { bucket, call, grant } = this;
    try {
      super.settle(outcome);
    } finally {
      // Another part may settle it once it knows the cost.
      if (grant !== call.meteredGrant) {
        this.#open = grant;
        // The client then tells when the body has ended, as it does for a slot.
        if (seesBodiesEnd || call.whenBodyEnds) call.bodyHolder ??= bucket;
        else this.release();
      }
    }
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
}

/**
 * A plugin that watches the body of each response to its end, for fetch in browsers and workers with a bucket charging at the end
 * (`chargeOn`). Without it a browser charges with the response, and a worker when the response is garbage-collected, or after ten
 * minutes. Not needed beside `actualCost` or `concurrency`, which watch bodies as well, nor in Node, Bun and Deno, nor for undici
 * and axios. A value apart, so that programs without it do not carry its code.
 *
 * @example
 * ```ts
 * import { bodyEnds, createPolicy, quotaBucket } from '@ebb/core';
 *
 * const bucket = quotaBucket({
 *   limits: { output: { refillPerSecond: 130, capacity: 8_000, chargeOn: 'completion' } },
 * });
 * const policy = createPolicy({ bucket, cost: 700, plugins: [bodyEnds] });
 * ```
 */
export const bodyEnds: Plugin = {
  name: 'body-ends',
  limits: [{ name: 'body-ends', take: () => undefined, whenBodyEnds }],
};
