/**
 * A token bucket in one number: the moment, past or to come, at which the bucket is or would be empty. With
 * the time it tells everything: `(now − emptyAt) · rate` tokens, at most the capacity. There is no moment of
 * the last refill that could go stale, so an idle bucket never holds more than its capacity, and a clock that
 * steps back mints nothing.
 *
 * This is the Generic Cell Rate Algorithm (ITU-T I.371, Annex A), whose theoretical arrival time is `emptyAt`
 * plus the time that the bucket takes to fill.
 *
 * Times are milliseconds from any fixed start. One that lies near is better than 1970: at today's distance
 * from there a number resolves a quarter of a microsecond, which is a lot for thousands of tokens a second.
 */
export interface Quota {
  /** The most tokens that it holds. */
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** Tokens come in steps, at every whole multiple of this many milliseconds; 0: all the time. */
  readonly refillIntervalMs: number;
}

/**
 * Sums of fractions are a little off: what lacks less than this is there. It never adds up, as no state holds
 * it. The last term is what a number as large as the time cannot tell apart.
 */
function slackMs(fillMs: number, nowMs: number): number {
  return fillMs * 1e-9 + 1e-6 + Math.abs(nowMs) * 4e-16;
}

/** A quotient of times is a little off, too, and the more so the larger it is. */
function slackSteps(steps: number): number {
  return 1e-9 + Math.abs(steps) * 4e-16;
}

/** The moment of the last refill. */
export function lastStepMs(intervalMs: number, nowMs: number): number {
  if (intervalMs === 0) return nowMs;
  const steps = nowMs / intervalMs;
  return Math.floor(steps + slackSteps(steps)) * intervalMs;
}

/** The moment of the first refill at `atMs` or later. */
export function nextStepMs(intervalMs: number, atMs: number): number {
  if (intervalMs === 0) return atMs;
  const steps = atMs / intervalMs;
  return Math.ceil(steps - slackSteps(steps)) * intervalMs;
}

/** The state of a bucket that holds so many tokens; fewer than none are a debt. */
export function holding(quota: Quota, tokens: number, nowMs: number): number {
  return lastStepMs(quota.refillIntervalMs, nowMs) - (tokens * 1_000) / quota.refillPerSecond;
}

/** How many tokens there are; fewer than none are a debt. */
export function tokensAt(quota: Quota, emptyAtMs: number, nowMs: number): number {
  const sinceMs = lastStepMs(quota.refillIntervalMs, nowMs) - emptyAtMs;
  return Math.min(quota.capacity, (sinceMs * quota.refillPerSecond) / 1_000);
}

/** The state after taking tokens, whether they are there or not. */
export function spend(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number {
  const msPerToken = 1_000 / quota.refillPerSecond;
  const fullSinceMs = lastStepMs(quota.refillIntervalMs, nowMs) - quota.capacity * msPerToken;
  return Math.max(emptyAtMs, fullSinceMs) + cost * msPerToken;
}

/** The state after taking tokens; `undefined` when they are not there. */
export function take(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number | undefined {
  const msPerToken = 1_000 / quota.refillPerSecond;
  const fillMs = quota.capacity * msPerToken;
  const stepMs = lastStepMs(quota.refillIntervalMs, nowMs);
  const afterMs = Math.max(emptyAtMs, stepMs - fillMs) + cost * msPerToken;
  return afterMs <= stepMs + slackMs(fillMs, nowMs) ? afterMs : undefined;
}

/**
 * How long until the tokens are there, if nobody else takes any. More than the capacity never are there at
 * once: for those it is how long it takes until they have come in, for several askers in a row.
 */
export function waitMs(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number {
  const { capacity, refillPerSecond, refillIntervalMs } = quota;
  const dueMs = spend(quota, emptyAtMs, cost, nowMs);
  const stepMs = lastStepMs(refillIntervalMs, nowMs);
  if (dueMs <= stepMs + slackMs((capacity * 1_000) / refillPerSecond, nowMs)) return 0;
  // What is not there at this step is not there before the next, however little lacks.
  return Math.max(nextStepMs(refillIntervalMs, dueMs), stepMs + refillIntervalMs) - nowMs;
}

/**
 * The state after giving tokens back that were taken before. `heldMs` is the state that the taking of them
 * left, less all that was given back since. What of them has been refilled meanwhile is no longer there to
 * give back: it would let more than the capacity go at once.
 */
export function giveBack(
  quota: Quota,
  emptyAtMs: number,
  tokens: number,
  heldMs: number,
  nowMs: number,
): number {
  const msPerToken = 1_000 / quota.refillPerSecond;
  const fullSinceMs = lastStepMs(quota.refillIntervalMs, nowMs) - quota.capacity * msPerToken;
  return emptyAtMs - Math.max(0, Math.min(tokens * msPerToken, heldMs - fullSinceMs));
}
