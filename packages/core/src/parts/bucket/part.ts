import { neverSent } from '../../http/failure.ts';
import type { Outcome } from '../../http/outcome.ts';
import { admit } from '../../loop/admit.ts';
import type { AcquireOptions, Grant, OwnBucket } from '../../loop/contracts.ts';
import { costOf } from '../../loop/decide.ts';
import type { Call, Lack, Part, Turn } from '../../loop/part.ts';

/** Every attempt takes tokens from the bucket. */
export class BucketPart implements Part {
  readonly name = 'bucket';
  readonly place = 'tokens';
  readonly admit: typeof admit = admit;
  readonly #bucket: OwnBucket;

  constructor(bucket: OwnBucket) {
    this.#bucket = bucket;
  }

  begin(call: Call): Turn {
    return new BucketTurn(this.#bucket, call);
  }
}

class BucketTurn implements Turn, Lack {
  readonly #bucket: OwnBucket;
  readonly #call: Call;
  #grant: Grant | undefined;
  #originGrant: Grant | undefined;
  /** The last grant that was waited for, even if it was given back: a bucket that drains still serves its holder. */
  #earlier: Grant | undefined;
  /** True if user code around the request has paid for this attempt. */
  #isPaid = false;
  /** True if the end of a pause of its origin is lacking, and not tokens. */
  #isForOrigin = false;
  /** True once the attempt was judged: what it holds is spent. */
  #isOver = false;

  constructor(bucket: OwnBucket, call: Call) {
    this.#bucket = bucket;
    this.#call = call;
  }

  #cost(): number {
    return costOf(this.#call.policy, this.#call.request);
  }

  enter(): Lack | undefined {
    const bucket = this.#bucket;
    if (this.#isOver) this.#reset();
    if (this.#isTakenAround()) return undefined;
    const gate = bucket.gateFor?.(this.#call.request);
    this.#isForOrigin = gate !== undefined && this.#originGrant === undefined;
    if (gate !== undefined && this.#isForOrigin) {
      this.#originGrant = gate.tryAcquire(this.#cost(), this.#earlier);
      if (this.#originGrant === undefined) return this;
      this.#isForOrigin = false;
    }
    if (this.#grant === undefined) this.#take(bucket.tryAcquire(this.#cost(), this.#earlier));
    return this.#grant === undefined ? this : undefined;
  }

  #reset(): void {
    this.#isOver = false;
    this.#isPaid = false;
    this.#grant = undefined;
    this.#originGrant = undefined;
    this.#earlier = undefined;
  }

  #take(grant: Grant | undefined): void {
    this.#grant = grant;
    this.#call.grant = grant;
    this.#call.bucket = grant && this.#bucket;
  }

  /** True if what is around the request took these tokens for it. */
  #isTakenAround(): boolean {
    const { taken, paid } = this.#call.around;
    // Of user code that sends several requests, only the first is paid for.
    this.#isPaid ||= paid?.delete(this.#bucket) === true;
    return this.#isPaid || taken.includes(this.#bucket);
  }

  async wait(options: AcquireOptions): Promise<number> {
    const tokens = { ...options, cost: this.#cost(), earlier: this.#earlier };
    if (this.#isForOrigin) {
      this.#originGrant = await this.#bucket.gateFor?.(this.#call.request)?.acquire(tokens);
      this.#earlier = this.#originGrant ?? this.#earlier;
      return this.#originGrant?.waitedMs ?? 0;
    }
    const grant = await this.#bucket.acquire(tokens);
    this.#take(grant);
    this.#earlier = grant;
    return grant.waitedMs;
  }

  renew(options: AcquireOptions): Promise<unknown> | undefined {
    const bucket = this.#bucket;
    const grant = this.#grant;
    if (grant === undefined) return undefined;
    const { cost } = grant;
    // Asked before the old ones go back, which would serve those behind it.
    const asked = bucket.acquire({ ...options, cost, earlier: grant });
    const again = asked.then(
      (granted) => this.#take(granted),
      (error: unknown) => {
        // A bucket without a queue refuses what it has not yet got back.
        this.#take(bucket.tryAcquire(cost, grant));
        if (this.#grant === undefined) throw error;
      },
    );
    // Not those of a gate: an origin that has paused lets requests through one by one.
    grant.settle(0);
    this.#grant = undefined;
    return again;
  }

  leave(outcome: Outcome | undefined): void {
    if (outcome === undefined) {
      // Not the tokens of an attempt that was sent.
      if (!this.#isOver) this.#giveBack();
      this.#originGrant = undefined;
      this.#take(undefined);
      return;
    }
    this.#isOver = true;
    if (neverSent(outcome)) this.#giveBack();
    const { givenFeedback, request } = this.#call;
    if (this.#grant !== undefined) this.#bucket.observe?.(outcome, this.#grant, request, givenFeedback);
  }

  /** Gives the tokens back, because nothing was sent for them. A grant counts this once. */
  #giveBack(): void {
    this.#grant?.settle(0);
    this.#originGrant?.settle(0);
  }
}
