import { seesBodiesEnd } from '#platform';
import { HookError } from '../../base/errors.ts';
import { whenBodyEnds } from '../../bodies/watch.ts';
import { neverSent } from '../../http/failure.ts';
import type { Outcome } from '../../http/outcome.ts';
import { type AcquireOptions, type Costs, costOf, type Grant, type OwnBucket } from '../../loop/contracts.ts';
import type { Blocker, Part, PartCall, PartInstance } from '../../loop/part.ts';
import { takingOver } from '../taking.ts';

/**
 * Every attempt takes tokens from the bucket.
 *
 * @param endsItself true if its `acquire` keeps to the signal and to `maxWaitMs`
 */
export function bucketPart(bucket: OwnBucket, endsItself = false): Part {
  return {
    name: 'bucket',
    place: 'tokens',
    taking: takingOver,
    begin: (call) => new BucketPartInstance(bucket, call, endsItself),
  };
}

class BucketPartInstance implements PartInstance, Blocker {
  readonly endsItself: boolean;
  protected readonly bucket: OwnBucket;
  protected readonly call: PartCall;
  /** The tokens of the attempt, until it has been sent. */
  protected grant: Grant | undefined;
  #originGrant: Grant | undefined;
  /** The last grant that was waited for, even if it was given back: a bucket that drains still serves its holder. */
  #earlier: Grant | undefined;
  /** True if user code around the request has paid for this attempt. */
  #isPaid = false;
  /** The gate of an origin that has paused, if that is what the attempt lacks. */
  #closed: OwnBucket | undefined;

  constructor(bucket: OwnBucket, call: PartCall, endsItself: boolean) {
    this.bucket = bucket;
    this.call = call;
    this.endsItself = endsItself;
  }

  #cost(): number | Costs {
    return costOf(this.call.policy, this.call.request);
  }

  acquire(): Blocker | undefined {
    const { bucket, call } = this;
    const { layers } = call;
    // User code may send several requests: only the first is paid for.
    this.#isPaid ||= layers.paidBuckets?.delete(bucket) === true;
    if (this.#isPaid || layers.bucketsTaken.includes(bucket)) return undefined;
    this.#closed = undefined;
    const gate = bucket.pausedBucketFor?.(call.request);
    if (gate !== undefined && this.#originGrant === undefined) {
      this.#originGrant = this.#ask(gate);
      if (this.#originGrant === undefined) {
        this.#closed = gate;
        return this;
      }
    }
    if (this.grant === undefined) this.#take(this.#ask(bucket));
    // What is around it may hold the last tokens until this request has ended.
    return this.grant !== undefined || layers.slotsHeld.includes(bucket) ? undefined : this;
  }

  #ask(bucket: OwnBucket): Grant | undefined {
    const cost = this.#cost();
    try {
      return bucket.tryAcquire(cost, this.#earlier);
    } catch (error) {
      // Costs that the bucket does not have are the fault of what has returned them.
      const isWrong = error instanceof TypeError || error instanceof RangeError;
      throw isWrong && typeof this.call.policy.cost === 'function' ? new HookError('cost', error) : error;
    }
  }

  #take(grant: Grant | undefined): void {
    this.grant = grant;
    this.call.grant = grant;
    this.call.bucket = grant && this.bucket;
  }

  async wait(options: AcquireOptions): Promise<number> {
    const gate = this.#closed;
    const asked = gate ?? this.bucket;
    const grant = await asked.acquire({ ...options, cost: this.#cost(), earlier: this.#earlier });
    if (gate === undefined) this.#take(grant);
    else this.#originGrant = grant;
    this.#earlier = grant;
    return grant.waitedMs;
  }

  leave(outcome: Outcome | undefined): void {
    const { grant, call } = this;
    // A grant counts this once.
    if (outcome === undefined || neverSent(outcome)) {
      grant?.settle(0);
      this.#originGrant?.settle(0);
    }
    this.#originGrant = undefined;
    if (outcome === undefined) {
      this.#take(undefined);
      return;
    }
    // The tokens are spent: the next attempt takes its own. The call keeps the grant for its history.
    this.grant = undefined;
    this.#earlier = undefined;
    this.#isPaid = false;
    if (grant !== undefined) this.bucket.observe?.(outcome, grant, call.request, call.givenFeedback);
  }
}

/** As `bucketPart`, for a bucket that charges tokens when they are settled: those of an attempt when its body has ended. */
export function settledPart(bucket: OwnBucket, endsItself = false): Part {
  return {
    name: 'bucket',
    place: 'tokens',
    begin: (call) => new SettledPartInstance(bucket, call, endsItself),
  };
}

class SettledPartInstance extends BucketPartInstance {
  /** The tokens of an attempt whose response has come, and which are charged when its body has ended. */
  #open: Grant | undefined;

  override leave(outcome: Outcome | undefined): void {
    const { bucket, call, grant } = this;
    super.leave(outcome);
    // Another part may settle it once it knows the cost.
    if (outcome === undefined || grant === undefined || grant === call.meteredGrant) return;
    this.#open = grant;
    // The client then tells when the body has ended, as it does for a slot.
    call.bodyHolder ??= bucket;
  }

  free(once?: Promise<void>): void {
    const grant = this.#open;
    if (grant === undefined) return;
    this.#open = undefined;
    const { bucket, call } = this;
    if (call.bodyHolder === bucket) call.bodyHolder = undefined;
    const settle = (): void => grant.settle(grant.cost);
    if (once === undefined) settle();
    else void once.then(settle);
  }

  end(): void {
    // `leave` is not called if a layer below has judged the attempt, or the total timeout has ended it.
    const { call, grant } = this;
    if (grant !== call.meteredGrant) this.#open ??= grant;
    if (grant !== undefined || !(seesBodiesEnd || call.whenBodyEnds)) this.free();
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
