import type { Reply } from './store.ts';

/** A reply that is older than the last by more than this comes from a server whose clock was set back. */
const MAX_REORDERING_US = 1e6;

/** The state of the shared bucket by the last reply of the store. */
export class BucketState {
  /** When the bucket is or was empty; `-Infinity` before the first reply. */
  emptyAtMs: number = Number.NEGATIVE_INFINITY;
  /** For how long after the last reply all tokens are leased already, in milliseconds. */
  leasedAheadMs = 0;
  /** When the store replied, by its own clock in microseconds. */
  #repliedAtUs = Number.NEGATIVE_INFINITY;

  /** Returns whether the reply is newer than those before. Replies on several connections overtake each other. */
  observe(reply: Reply, nowMs: number): boolean {
    const olderUs = this.#repliedAtUs - reply.atUs;
    if (olderUs > 0 && olderUs <= MAX_REORDERING_US) return false;
    this.#repliedAtUs = reply.atUs;
    this.leasedAheadMs = Math.max(0, reply.emptyInMs);
    this.emptyAtMs = nowMs + reply.emptyInMs;
    return true;
  }
}
