import { neverSent } from '../../http/failure.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { StopReason } from '../../news/events.ts';
import type { PartCall } from '../../policy/call-view.ts';
import type { Grant, OwnBucket } from '../../policy/contracts.ts';
import type { Permit, Wait } from '../../policy/limit.ts';
import { ask, BucketLimit, BucketPermit, waitFor } from './part.ts';

/** Tokens of a bucket of one's own, and of the second one that it names for the request. It is partial if one of them is lacking. */
class GatedPermit implements Permit {
  readonly own: BucketPermit | undefined;
  readonly gateGrant: Grant | undefined;
  isOpen = true;
  /** See {@link BucketPermit.waited}. */
  readonly waited: Grant | undefined;
  readonly waitedMs: number | undefined;

  constructor(own: BucketPermit | undefined, gateGrant: Grant | undefined, waited: Grant | undefined) {
    this.own = own;
    this.gateGrant = gateGrant;
    this.waited = waited;
    this.waitedMs = waited?.waitedMs;
  }

  get isPartial(): boolean {
    return this.own === undefined || this.gateGrant === undefined;
  }

  cancel(): void {
    this.isOpen = false;
    this.own?.cancel();
    this.gateGrant?.settle(0);
  }

  settle(outcome: Outcome): void {
    if (neverSent(outcome)) this.gateGrant?.settle(0);
    this.own?.settle(outcome);
  }

  release(once?: Promise<void>): void {
    (this.own as Permit | undefined)?.release?.(once);
  }

  ended(reason: StopReason): void {
    (this.own as Permit | undefined)?.ended?.(reason);
  }
}

/**
 * The limit of a bucket of one's own that may name a second one, for an origin that asked for a pause: an attempt takes its tokens from
 * both, or from neither. It waits for one of them at a time, while it holds nothing of the other.
 */
export class GatedLimit extends BucketLimit {
  protected override takeTokens(call: PartCall, earlier: Permit | undefined): Permit | Wait | undefined {
    const before = earlier instanceof GatedPermit ? earlier : undefined;
    const held = before?.isOpen ? before : undefined;
    const gate = this.bucket.pausedBucketFor?.(call.request);
    const gateGrant = held?.gateGrant ?? (gate && ask(gate, call, before?.waited));
    if (gate && !gateGrant) return this.#waitAt(gate, call, before?.waited);
    const own = held?.own ?? super.takeTokens(call, earlier);
    if (own instanceof BucketPermit) return gateGrant ? new GatedPermit(own, gateGrant, before?.waited) : own;
    gateGrant?.settle(0);
    return gate && own ? this.#partly(own as Wait) : own;
  }

  #partly(wait: Wait): Wait {
    return {
      ...wait,
      acquire: async (options) => {
        const own = (await wait.acquire(options)) as BucketPermit;
        return new GatedPermit(own, undefined, own.grant);
      },
    };
  }

  #waitAt(gate: OwnBucket, call: PartCall, earlier: Grant | undefined): Wait {
    return {
      acquire: async (options) => {
        const grant = await waitFor(gate, call, options, earlier);
        return new GatedPermit(undefined, grant, grant);
      },
    };
  }
}
