/**
 * A token bucket whose state is one number: the time at which it is, was or will be empty. It holds
 * `(now − emptyAt) · rate` tokens, at most the capacity. No time of a last refill can become stale, so an idle bucket never holds
 * more than its capacity, and a clock that steps back creates no tokens.
 *
 * Times are milliseconds from any fixed origin. Choose a recent one: milliseconds since 1970 have a resolution of only a
 * quarter of a microsecond, which is too coarse for thousands of tokens per second.
 *
 * Source: Generic Cell Rate Algorithm (ITU-T I.371, Annex A). Its theoretical arrival time is `emptyAt` plus the time that
 * the bucket takes to fill.
 */
export interface Quota {
  /** In tokens. */
  readonly capacity: number;
  /** Tokens per second. */
  readonly refillPerSecond: number;
}

/**
 * Tolerance for rounding errors, in milliseconds: tokens that arrive this much later count as available. It does not
 * accumulate, because it is never stored. The last term is the resolution of a double at the size of `nowMs`.
 */
export function slackMs(fillMs: number, nowMs: number): number {
  return fillMs * 1e-9 + 1e-6 + Math.abs(nowMs) * 4e-16;
}

/** The state of a bucket with this many tokens. A negative number is a debt. */
export function stateWith(quota: Quota, tokens: number, nowMs: number): number {
  return nowMs - (tokens * 1_000) / quota.refillPerSecond;
}

/** The tokens that are available. A negative number is a debt. */
export function tokensAt(quota: Quota, emptyAtMs: number, nowMs: number): number {
  return Math.min(quota.capacity, ((nowMs - emptyAtMs) * quota.refillPerSecond) / 1_000);
}

/** The state after taking tokens, whether they are available or not. */
export function spend(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number {
  const msPerToken = 1_000 / quota.refillPerSecond;
  const fullSinceMs = nowMs - quota.capacity * msPerToken;
  return Math.max(emptyAtMs, fullSinceMs) + cost * msPerToken;
}

/** The state after taking tokens; `undefined` if they are not available. */
export function take(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number | undefined {
  const msPerToken = 1_000 / quota.refillPerSecond;
  const fillMs = quota.capacity * msPerToken;
  const afterMs = Math.max(emptyAtMs, nowMs - fillMs) + cost * msPerToken;
  return afterMs <= nowMs + slackMs(fillMs, nowMs) ? afterMs : undefined;
}

/**
 * How long until the tokens are available, in milliseconds, if no one else takes any. More than the capacity are never
 * available at once: for those it is the shortest time until so many have arrived, for several requests in a row.
 */
export function waitMs(quota: Quota, emptyAtMs: number, cost: number, nowMs: number): number {
  const { capacity, refillPerSecond } = quota;
  const dueMs = spend(quota, emptyAtMs, cost, nowMs);
  return dueMs <= nowMs + slackMs((capacity * 1_000) / refillPerSecond, nowMs) ? 0 : dueMs - nowMs;
}

/**
 * The state after tokens are given back. Tokens that the bucket has refilled since they were taken cannot be given back:
 * more than the capacity could be taken at once.
 *
 * @param heldMs the state after these tokens were taken, minus what was given back since
 */
export function giveBack(
  quota: Quota,
  emptyAtMs: number,
  tokens: number,
  heldMs: number,
  nowMs: number,
): number {
  const msPerToken = 1_000 / quota.refillPerSecond;
  const fullSinceMs = nowMs - quota.capacity * msPerToken;
  return emptyAtMs - Math.max(0, Math.min(tokens * msPerToken, heldMs - fullSinceMs));
}

/** Tolerance for the rounding error of a quotient of times, in steps. */
function slackSteps(steps: number): number {
  return 1e-9 + Math.abs(steps) * 4e-16;
}

/** The number of refill steps since 0. */
export function stepsBy(intervalMs: number, nowMs: number): number {
  const steps = nowMs / intervalMs;
  return Math.floor(steps + slackSteps(steps));
}

/**
 * The number of refill steps until the tokens are available; 0 for now. A step adds the tokens of `everyMs`, and once a debt
 * is paid at most the capacity: the rest is lost.
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
