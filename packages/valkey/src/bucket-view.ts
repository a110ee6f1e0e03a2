import { type Amounts, isOvertaken, type Reply } from './store-call.ts';

/** How long a count of processes is valid, in milliseconds. */
const COUNTED_MS = 60_000;

/** Where tokens were given back, more are expected for so long, in milliseconds. */
const MOVING_MS = 1_000;

/** The shared bucket by the last reply of the store. */
export class BucketView {
  /** When each unit is or was empty; `-Infinity` before the first reply. */
  emptyAtMs: Amounts;
  /** For how long after the last reply all tokens of a unit are leased already, in milliseconds. */
  leasedAheadMs: Amounts;
  /** The highest count of processes in the last minute; 0 before the first reply. */
  processes = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  /** When a reply has shown last that tokens were given back, or that the store has lost the bucket. */
  #movedAtMs = Number.NEGATIVE_INFINITY;
  #line: string | undefined;
  /** When the store replied, by its own clock in microseconds. */
  #repliedAtUs = Number.NEGATIVE_INFINITY;

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
    if (isOvertaken(reply.atUs, this.#repliedAtUs)) return false;
    this.#repliedAtUs = reply.atUs;
    this.leasedAheadMs = reply.emptyInMs.map((ms) => Math.max(0, ms));
    this.emptyAtMs = reply.emptyInMs.map((ms) => nowMs + ms);
    if (reply.line !== this.#line) this.#movedAtMs = nowMs;
    this.#line = reply.line;
    return true;
  }

  /** A store that lost the key counts from 0 again, so a lower count is ignored for a while. */
  count(processes: number, nowMs: number): void {
    if (processes < this.processes && nowMs < this.#countedAtMs + COUNTED_MS) return;
    this.processes = processes;
    this.#countedAtMs = nowMs;
  }

  /** The present count is valid for another minute. */
  renewCount(nowMs: number): void {
    this.#countedAtMs = nowMs;
  }
}
