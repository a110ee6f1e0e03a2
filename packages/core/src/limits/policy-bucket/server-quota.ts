import { CONCURRENT, type SaidQuota } from './fields.ts';

/** A granted request. */
export interface CountedRequest {
  readonly grantedAtMs: number;
  readonly cost: number;
  /** The quotas that count it. Empty once it is over. */
  readonly quotas: Set<ServerQuota>;
}

/** A server rounds a reset to seconds: those of one window differ by up to one. */
const ROUNDED_MS = 1_001;

/**
 * A quota of a server, as far as its answers tell: of one policy, for one partition key. Before the first answer, and once its window is
 * over, one request at a time asks for it.
 *
 * The server counts each request once, in an order of its own. The lowest number of a window that it has reported, less all requests without an
 * answer, is at most what it has left. Once all are answered the two are equal.
 */
export class ServerQuota {
  /** Called once, when there may be more. */
  readonly followers: Set<() => void> = new Set();
  #asking: CountedRequest | undefined;
  /** The requests in flight, and their costs. */
  #requests = 0;
  #cost = 0;
  #unit = 'requests';
  /** For a limit of concurrent requests the limit itself. */
  #lowest = 0;
  #untilMs = Number.NEGATIVE_INFINITY;

  #isKnown(nowMs: number): boolean {
    return nowMs < this.#untilMs;
  }

  /** True if it would be as good if it were new. */
  isIdle(nowMs: number): boolean {
    // A limit of concurrent requests has no end: the first answer tells it again.
    return this.#requests === 0 && (!this.#isKnown(nowMs) || this.#untilMs === Infinity);
  }

  #amountOf(requests: number, cost: number): number {
    return this.#unit.endsWith('requests') ? requests : cost;
  }

  /** The rest of it, in its unit. */
  left(nowMs: number): number {
    if (this.#isKnown(nowMs)) return this.#lowest - this.#amountOf(this.#requests, this.#cost);
    return this.#asking ? 0 : Infinity;
  }

  /** The least time until a request may be granted, in milliseconds: an answer may tell of more. */
  waitMs(cost: number, nowMs: number): number {
    return this.#isKnown(nowMs) && this.#amountOf(1, cost) > this.#lowest ? this.#untilMs - nowMs : 0;
  }

  /** When a request is granted if no answer tells earlier; now, or before, if it can be. */
  dueMs(cost: number, nowMs: number): number {
    if (this.left(nowMs) >= this.#amountOf(1, cost)) return nowMs;
    return this.#isKnown(nowMs) ? this.#untilMs : Infinity;
  }

  /** A request was granted. It counts once. */
  begin(counted: CountedRequest): void {
    if (counted.quotas.has(this)) return;
    counted.quotas.add(this);
    if (!this.#isKnown(counted.grantedAtMs)) this.#asking = counted;
    this.#requests += 1;
    this.#cost += counted.cost;
  }

  /** A request is over. Returns true if it has asked for this quota. */
  end(counted: CountedRequest): boolean {
    counted.quotas.delete(this);
    this.#requests -= 1;
    this.#cost = this.#requests === 0 ? 0 : this.#cost - counted.cost;
    if (this.#asking !== counted) return false;
    this.#asking = undefined;
    return true;
  }

  /** @param sentAtMs when the request was sent */
  heard({ left, resetMs, quota = 0, unit }: SaidQuota, sentAtMs: number, nowMs: number): void {
    this.#unit = unit;
    const isConcurrency = unit === CONCURRENT && quota > 0;
    const leastMs = this.#untilMs + Math.max(ROUNDED_MS, resetMs / 2);
    const isNew = sentAtMs >= this.#untilMs || (left !== undefined && sentAtMs + resetMs >= leastMs);
    const now = isConcurrency ? quota : (left ?? (isNew ? quota : this.#lowest) - 1);
    // Some servers round down, or have nothing to wait for: what they tell counts for a second.
    const untilMs = isConcurrency ? Infinity : nowMs + Math.max(resetMs, 1_000);
    this.#lowest = isNew || isConcurrency ? now : Math.min(this.#lowest, now);
    this.#untilMs = isNew ? untilMs : Math.min(this.#untilMs, untilMs);
    if (isNew) this.#asking = undefined;
  }

  /** There may be more. */
  tell(): void {
    const told = [...this.followers];
    this.followers.clear();
    for (const one of told) one();
  }
}
