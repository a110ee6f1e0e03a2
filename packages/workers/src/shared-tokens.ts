import { gcra } from '@ebb/core/bucket';
import type { LeaseCall, LeaseReply } from './lease-call.ts';

/** An isolate that has not called for so long does not share the bucket, in milliseconds. */
const ACTIVE_MS = 10_000;

/**
 * The tokens that isolates lease. The state is two times, as in gcra.ts, and no limit: each call brings the limits of its isolate.
 * While two versions of a program run, each gets its part of the time at its own rate.
 */
export class SharedTokens {
  /** When the bucket is, was or will be empty, in milliseconds since the epoch. Tokens until then are leased. */
  emptyAtMs: number = Number.NEGATIVE_INFINITY;
  /** When the last pause ends. */
  pausedUntilMs: number = Number.NEGATIVE_INFINITY;
  /** When each isolate has called last, in that order. */
  readonly #callers = new Map<string, number>();

  lease(call: LeaseCall, nowMs: number): LeaseReply {
    const { least, most, withinMs = Number.POSITIVE_INFINITY, spent, pauseMs } = call;
    const callers = this.#count(call.caller, nowMs);
    if (spent > 0) this.emptyAtMs = gcra.spend(call, this.emptyAtMs, spent, nowMs);
    if (pauseMs !== undefined) this.#pause(pauseMs, nowMs);
    const pausedMs = Math.max(0, this.pausedUntilMs - nowMs);
    const comesInMs = least === 0 ? 0 : gcra.waitMs(call, this.emptyAtMs, least, nowMs);
    const isRefused = pausedMs > 0 || comesInMs > withinMs;
    let granted = 0;
    if (!isRefused) {
      // Half of the available tokens are left for the others.
      const available = gcra.tokensAt(call, this.emptyAtMs, nowMs) / (callers > 1 ? 2 : 1);
      // Future tokens are leased as well: an isolate whose requests wait keeps its place among the others, and need not ask again.
      const future = (call.refillPerSecond * call.aheadMs) / 1_000 / callers;
      granted = Math.max(least, Math.min(most, Math.max(available, future)));
      this.emptyAtMs = gcra.spend(call, this.emptyAtMs, granted, nowMs);
    }
    const fullSinceMs = nowMs - (call.capacity * 1_000) / call.refillPerSecond;
    const emptyInMs = Math.max(this.emptyAtMs, fullSinceMs) - nowMs;
    return { granted, emptyInMs, waitMs: isRefused ? comesInMs : 0, pausedMs, callers };
  }

  #pause(pauseMs: number, nowMs: number): void {
    const restMs = Math.max(0, this.pausedUntilMs - nowMs);
    if (pauseMs === 0) {
      this.emptyAtMs = restMs > 0 ? Math.max(nowMs, this.emptyAtMs - restMs) : this.emptyAtMs;
      this.pausedUntilMs = Math.min(this.pausedUntilMs, nowMs);
    } else if (pauseMs > restMs) {
      this.pausedUntilMs = nowMs + pauseMs;
      this.emptyAtMs = Math.max(this.emptyAtMs, this.pausedUntilMs);
    }
  }

  /** Counts an isolate. Returns how many share the bucket. */
  #count(caller: string, nowMs: number): number {
    this.#callers.delete(caller);
    this.#callers.set(caller, nowMs);
    for (const [name, atMs] of this.#callers) {
      if (atMs >= nowMs - ACTIVE_MS) break;
      this.#callers.delete(name);
    }
    return this.#callers.size;
  }
}
