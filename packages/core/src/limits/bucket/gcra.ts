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

/** How many steps have passed since 0. */
export function stepsBy(intervalMs: number, nowMs: number): number {
  const steps = nowMs / intervalMs;
  return Math.floor(steps + slackSteps(steps));
}

/** The moment of the last refill. */
export function lastStepMs(intervalMs: number, nowMs: number): number {
  return intervalMs === 0 ? nowMs : stepsBy(intervalMs, nowMs) * intervalMs;
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
  return afterMs <= stepMs + slackMs(fillMs, stepMs) ? afterMs : undefined;
}

/**
 * How many steps it takes until the tokens are there; 0 when they are. A step brings what flows in within
 * `everyMs`, after a debt is paid never more than the capacity: the rest is lost.
 */
export function stepsToWait(
  { capacity, refillPerSecond }: Quota,
  emptyAtMs: number,
  cost: number,
  stepMs: number,
  everyMs: number,
): number {
  const msPerToken = 1_000 / refillPerSecond;
  const fillMs = capacity * msPerToken;
  const slack = slackMs(fillMs, stepMs);
  const dueMs = Math.max(emptyAtMs, stepMs - fillMs) + cost * msPerToken;
  if (dueMs <= stepMs + slack) return 0;
  const debtMs = Math.max(0, emptyAtMs - stepMs);
  const lackMs = dueMs - stepMs - debtMs;
  const inDebt = Math.floor(debtMs / everyMs);
  const firstMs = Math.min(fillMs, (inDebt + 1) * everyMs - debtMs);
  return inDebt + 1 + Math.max(0, Math.ceil((lackMs - firstMs - slack) / Math.min(everyMs, fillMs)));
}

/**
 * How long until the tokens are there, if nobody else takes any. More than the capacity never are there at
 * once: for those it is how long it takes at least until they have come in, for several askers in a row.
 */
export function waitMs(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number {
  const { capacity, refillPerSecond, refillIntervalMs: everyMs } = quota;
  if (everyMs > 0) {
    const passed = stepsBy(everyMs, nowMs);
    const steps = stepsToWait(quota, emptyAtMs, cost, passed * everyMs, everyMs);
    return steps === 0 ? 0 : (passed + steps) * everyMs - nowMs;
  }
  const dueMs = spend(quota, emptyAtMs, cost, nowMs);
  return dueMs <= nowMs + slackMs((capacity * 1_000) / refillPerSecond, nowMs) ? 0 : dueMs - nowMs;
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
