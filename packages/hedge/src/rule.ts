/** How the keys of a client learn when a request is hedged, and how many hedges requests pay for. */
export interface HedgeRule {
  /** The share of the first tries that settle before a hedge would be sent, while nothing is lacking. */
  readonly quantile: number;
  /** A fixed delay, in milliseconds; `undefined` to learn it. */
  readonly delayMs?: number | undefined;
  /** The shortest delay that is learned, in milliseconds. */
  readonly minDelayMs: number;
  /** The part of a hedge that a request pays for. */
  readonly share: number;
}

/** The state of the requests with one key. */
export interface HedgeState {
  /** How long a first try may take before it is hedged, in milliseconds; infinite until that is known. */
  delayMs: number;
  /** Hedges that are paid for. */
  tokens: number;
  /** How many first tries the delay was learned from. */
  seen: number;
  /** The two longest of the first ones, in milliseconds. */
  longestMs: number;
  secondMs: number;
  /** How many in a row have outlasted the delay; below 0: how many have not. */
  run: number;
}

/** The most hedges that are saved up: for when several requests are slow at once. */
const MOST_TOKENS = 10;

/** The quantile once all hedges are spent. */
const SPENT_QUANTILE = 0.995;

/**
 * The number of requests that are measured first. The first delay is their second longest time: the longest has often opened a connection.
 */
const AT_FIRST = 20;

/** From here on the steps do not become smaller. */
const MOST_SEEN = 10_000;

/** A run that chance explains once in 100,000: the service has changed. */
const TOO_RARE = Math.log(1e-5);

/** A key of which nothing is known. It has one hedge, which it can use if the delay is fixed. */
export function newHedgeState({ delayMs = Infinity }: HedgeRule): HedgeState {
  return { delayMs, tokens: 1, seen: 0, longestMs: 0, secondMs: 0, run: 0 };
}

/**
 * The quantile that the delay moves towards: the fewer hedges are left, the later they are sent. Else ordinary slow requests would
 * spend them all, and none would be left for one that hangs.
 */
export function quantileOf({ quantile }: HedgeRule, { tokens }: HedgeState): number {
  return quantile + Math.max(0, SPENT_QUANTILE - quantile) * (1 - tokens / MOST_TOKENS);
}

/** A request is sent, and pays: 0.015 tokens by default. A hedge that wins gives its token back. */
export function pay(state: HedgeState, tokens: number): void {
  state.tokens = Math.min(MOST_TOKENS, state.tokens + tokens);
}

/** True while the time that first tries take has to be measured. After that, one bit of each is enough. */
export function isNew({ seen }: HedgeState, { delayMs }: HedgeRule): boolean {
  return seen < AT_FIRST && delayMs === undefined;
}

/** Records the time that a first try of a new key has taken, in milliseconds. */
export function measure(state: HedgeState, { minDelayMs }: HedgeRule, tookMs: number): void {
  state.seen += 1;
  state.secondMs = Math.max(state.secondMs, Math.min(state.longestMs, tookMs));
  state.longestMs = Math.max(state.longestMs, tookMs);
  if (state.seen === AT_FIRST) state.delayMs = Math.max(minDelayMs, state.secondMs);
}

/**
 * A first try has outlasted the delay, or it has not. The moves cancel out when `1 - quantile` of them do. A quantile of the times
 * that were measured would be biased: the slowest tries were aborted, because a hedge was faster. Whether a try has outlasted the
 * delay is known of them as well.
 *
 * The steps become smaller, and large again after a run that chance does not explain.
 *
 * Source: H. Robbins and S. Monro, "A Stochastic Approximation Method", 1951, for a quantile of a logarithm.
 */
export function learn(state: HedgeState, rule: HedgeRule, outlasts: boolean): void {
  if (rule.delayMs !== undefined) return;
  const quantile = quantileOf(rule, state);
  const isRun = outlasts === state.run > 0;
  state.run = (isRun ? state.run : 0) + (outlasts ? 1 : -1);
  // The logarithm, of `quantile` to the first order.
  const chance = outlasts ? state.run * Math.log(1 - quantile) : state.run * (1 - quantile);
  state.seen = chance < TOO_RARE ? AT_FIRST : Math.min(MOST_SEEN, state.seen + 1);
  const step = 0.5 / Math.sqrt(state.seen);
  const factor = 1 + step * (outlasts ? quantile : quantile - 1);
  state.delayMs = Math.max(rule.minDelayMs, state.delayMs * factor);
}
