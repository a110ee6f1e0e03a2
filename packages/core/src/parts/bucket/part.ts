import { seesBodiesEnd } from '#platform';
import { HookError } from '../../base/errors.ts';
import { neverSent } from '../../http/failure.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { AcquireOptions, Grant, OwnBucket } from '../../loop/contracts.ts';
import { type Costs, costOf } from '../../loop/costs.ts';
import type { Lack, Part, PartCall, Turn } from '../../loop/part.ts';

/** Every attempt takes tokens from the bucket. */
export class BucketPart implements Part {
  readonly name = 'bucket';
  readonly place = 'tokens';
  readonly #bucket: OwnBucket;
  readonly #endsItself: boolean;

  /** @param endsItself true if its `acquire` keeps to the signal and to `maxWaitMs` */
  constructor(bucket: OwnBucket, endsItself = false) {
    this.#endsItself = endsItself;
    this.#bucket = bucket;
  }

  begin(call: PartCall): Turn {
    return new BucketTurn(this.#bucket, call, this.#endsItself);
  }
}

class BucketTurn implements Turn, Lack {
  readonly #bucket: OwnBucket;
  readonly #call: PartCall;
  #grant: Grant | undefined;
  #originGrant: Grant | undefined;
  /** The last grant that was waited for, even if it was given back: a bucket that drains still serves its holder. */
  #earlier: Grant | undefined;
  /** True if user code around the request has paid for this attempt. */
  #isPaid = false;
  /** The tokens of an attempt whose response has come, and which are charged when its body has ended. */
  #open: Grant | undefined;
  /** What was asked last: the bucket, or the gate of an origin that has paused. */
  #asked: OwnBucket;

  readonly endsItself: boolean;

  constructor(bucket: OwnBucket, call: PartCall, endsItself: boolean) {
    this.#bucket = bucket;
    this.#asked = bucket;
    this.#call = call;
    this.endsItself = endsItself;
  }

  #cost(): number | Costs {
    return costOf(this.#call.policy, this.#call.request);
  }

  acquire(): Lack | undefined {
    const bucket = this.#bucket;
    if (this.#isTakenAround()) return undefined;
    const gate = bucket.gateFor?.(this.#call.request);
    if (gate !== undefined && this.#originGrant === undefined) {
      this.#originGrant = this.#ask(gate);
      if (this.#originGrant === undefined) return this;
    }
    if (this.#grant === undefined) this.#take(this.#ask(bucket));
    // What is around it may hold the last tokens until this request has ended.
    const mayGo = this.#grant !== undefined || this.#call.around.slots.includes(bucket);
    return mayGo ? undefined : this;
  }

  #ask(bucket: OwnBucket): Grant | undefined {
    this.#asked = bucket;
    const cost = this.#cost();
    try {
      return bucket.tryAcquire(cost, this.#earlier);
    } catch (error) {
      // Costs that the bucket does not have are the fault of what has returned them.
      const isWrong = error instanceof TypeError || error instanceof RangeError;
      throw isWrong && typeof this.#call.policy.cost === 'function' ? new HookError('cost', error) : error;
    }
  }

  #take(grant: Grant | undefined): void {
    this.#grant = grant;
    this.#call.grant = grant;
    this.#call.bucket = grant && this.#bucket;
  }

  /** True if what is around the request took these tokens for it. */
  #isTakenAround(): boolean {
    const { taken, paid } = this.#call.around;
    // User code may send several requests: only the first is paid for.
    this.#isPaid ||= paid?.delete(this.#bucket) === true;
    return this.#isPaid || taken.includes(this.#bucket);
  }

  async wait(options: AcquireOptions): Promise<number> {
    const asked = this.#asked;
    const grant = await asked.acquire({ ...options, cost: this.#cost(), earlier: this.#earlier });
    if (asked === this.#bucket) this.#take(grant);
    else this.#originGrant = grant;
    this.#earlier = grant;
    return grant.waitedMs;
  }

  leave(outcome: Outcome | undefined): void {
    const grant = this.#grant;
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
    this.#grant = undefined;
    this.#earlier = undefined;
    this.#isPaid = false;
    const { givenFeedback, request } = this.#call;
    if (grant === undefined) return;
    // Another part may settle it once it knows the cost.
    if (this.#bucket.settled && grant !== this.#call.metered) {
      this.#open = grant;
      // The client then tells when the body has ended, as it does for a slot.
      this.#call.limit ??= this.#bucket;
    }
    this.#bucket.observe?.(outcome, grant, request, givenFeedback);
  }

  free(once?: Promise<void>): void {
    const call = this.#call;
    const grant = this.#open;
    if (grant === undefined) return;
    this.#open = undefined;
    if (call.limit === this.#bucket) call.limit = undefined;
    const settle = (): void => grant.settle(grant.cost);
    if (once === undefined) settle();
    else void once.then(settle);
  }

  end(): void {
    // `leave` is not called if a layer below has judged the attempt, or the total timeout has ended it.
    if (this.#bucket.settled && this.#grant !== this.#call.metered) this.#open ??= this.#grant;
    if (this.#grant !== undefined || !(seesBodiesEnd || this.#call.whenBodyEnds)) this.free();
  }
}
