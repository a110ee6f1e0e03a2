import { isOvertaken, type Reply } from './store-call.ts';

/** The state of the shared bucket by the last reply of the store. */
export class BucketState {
  /** When the bucket is or was empty; `-Infinity` before the first reply. */
  emptyAtMs: number = Number.NEGATIVE_INFINITY;
  /** For how long after the last reply all tokens are leased already, in milliseconds. */
  leasedAheadMs = 0;
  /** When the store replied, by its own clock in microseconds. */
  #repliedAtUs = Number.NEGATIVE_INFINITY;

  /** Returns false, and changes nothing, if a newer reply came before. */
  observe(reply: Reply, nowMs: number): boolean {
    if (isOvertaken(reply.atUs, this.#repliedAtUs)) return false;
    this.#repliedAtUs = reply.atUs;
    this.leasedAheadMs = Math.max(0, reply.emptyInMs);
    this.emptyAtMs = nowMs + reply.emptyInMs;
    return true;
  }
}
