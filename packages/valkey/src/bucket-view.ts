import type { Reply } from './known-state.ts';
import type { Amounts } from './store-call.ts';

/** How long more returned tokens are expected after tokens were given back, in milliseconds. */
const MOVING_MS = 1_000;

/** The shared bucket by the last reply of the store. */
export class BucketView {
  /** When each unit is or was empty; `-Infinity` before the first reply. */
  emptyAtMs: Amounts;
  /** For how long after the last reply all tokens of a unit are leased already, in milliseconds. */
  leasedAheadMs: Amounts;
  /** How many processes share the bucket; 0 before the first reply. */
  processes = 0;
  /** When a reply last showed returned tokens or a lost bucket. */
  #movedAtMs = Number.NEGATIVE_INFINITY;
  #line: string | undefined;
  /** The `orderUs` of the last reply. */
  #orderUs = Number.NEGATIVE_INFINITY;

  constructor(units: number) {
    this.emptyAtMs = new Array<number>(units).fill(Number.NEGATIVE_INFINITY);
    this.leasedAheadMs = new Array<number>(units).fill(0);
  }

  /** True if a reply has shown lately that requests may be served sooner, or later, than known. */
  isMoving(nowMs: number): boolean {
    return nowMs < this.#movedAtMs + MOVING_MS;
  }

  /** Returns false, and changes nothing, if a newer reply came before. */
  observe(reply: Reply, nowMs: number): boolean {
    if (reply.orderUs < this.#orderUs) return false;
    this.#orderUs = reply.orderUs;
    this.processes = reply.processes;
    this.leasedAheadMs = reply.emptyInMs.map((ms) => Math.max(0, ms));
    this.emptyAtMs = reply.emptyInMs.map((ms) => nowMs + ms);
    if (reply.line !== this.#line) this.#movedAtMs = nowMs;
    this.#line = reply.line;
    return true;
  }
}
