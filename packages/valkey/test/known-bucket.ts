import type { Quota } from '@ebb/core/bucket';
import { type KnownState, knownArgs, nothingKnown, observe, type Reply } from '../src/lease.ts';
import type { RawReply } from '../src/store-call.ts';

/** What a process knows of its bucket, one reply after the other. */
export class KnownBucket {
  #known: KnownState;

  constructor(limits: readonly Quota[]) {
    this.#known = nothingKnown(limits);
  }

  get args(): ReturnType<typeof knownArgs> {
    return knownArgs(this.#known);
  }

  observe(raw: RawReply, sentAtMs: number, nowMs: number): Reply {
    const [known, reply] = observe(this.#known, raw, sentAtMs, nowMs);
    this.#known = known;
    return reply;
  }
}
