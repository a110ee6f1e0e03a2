/**
 * How an adaptive bucket finds its rate, as a rule from state to state: no clock, no queue, no tokens.
 *
 * Every response that had to wait for its tokens raises the rate by `step` tokens per second. Responses come in at that same rate, so
 * the rate grows by a share of itself each second, whatever its size. A refusal lowers it. Of one round, the requests
 * that were sent before the first refusal was known, all report the same overload: together they lower it to `floor` at most.
 *
 * A small client is lowered by a fifth with each refusal, a large one by less with each but has more of them. So those that send
 * more than others are lowered more, and shares of a quota become equal.
 *
 * Sources: multiplicative probing and slow start, RFC 5681 §3.1; growth in proportion to what is sent, Kelly, *Scalable TCP*,
 * 2003; a cut of less than a half, and growth that quickens with the time since the last one, RFC 9438 (CUBIC) §4; growth only
 * under load, RFC 7661; why the larger must yield more, Chiu and Jain, *Analysis of the Increase and Decrease Algorithms*, 1989.
 */
export interface AdaptiveRate {
  /** Tokens per second. */
  readonly rate: number;
  /** How much a success adds to the rate, in tokens per second for each token: the share by which the rate grows in a second. */
  readonly step: number;
  /** When the last round of refusals began. What was sent until then says nothing of the rate since. In milliseconds. */
  readonly roundAtMs: number;
  /** The lowest rate that refusals of that round lead to. */
  readonly floor: number;
}

/** The bounds of the rate, in tokens per second. */
export interface RateBounds {
  readonly lowest: number;
  readonly highest: number;
}

/** The rate doubles in a second until the first refusal. */
const FIRST_STEP = Math.LN2;
/** Soon after a refusal a client of ten requests per second grows by 4 % in a second, one of a thousand by 2.5 %. */
const LEAST_STEP = 0.058;
/** What each refusal leaves of the step. */
const STEP_SHARE = 0.6;
/** After 23 s without a refusal the step has doubled: the quota must have grown. */
const QUICKEN_PER_SECOND = 0.03;
/** Below so many requests per second steps are smaller: few requests cannot tell much of a quota. */
const FULL_STEP_RATE = 3;
/** A round of refusals lowers the rate to this share at most; to half of it while it grows fast, as in RFC 5681. */
const LEAST_SHARE = 0.8;
const FAST_SHARE = 0.5;
const FAST_STEP = 0.3;
/** What one refusal takes of a rate of one request per second. */
const CUT = 1 / 3;
/**
 * The step of a rate r of requests per second is r^-1/8 of that of one request per second, and what a refusal takes r^-1/4. A
 * client of a hundred times the rate has a hundred times the refusals, and each takes a third as much: it is lowered more,
 * and grows less. With equal powers shares would not become equal; with smaller ones a large client would be
 * halved by a few refusals.
 */
const GROWTH_POWER = 1 / 8;
const CUT_POWER = 1 / 4;
/** The first rate, as a share of the highest: the fifth-hundredth client is refused from the start. */
const FIRST_SHARE = 1 / 500;

/** Starts at a five-hundredth of the highest rate, or a token per second. */
export function firstRate({ lowest, highest }: RateBounds): AdaptiveRate {
  const rate = Math.min(highest, Math.max(lowest, 1, highest * FIRST_SHARE));
  return { rate, step: FIRST_STEP, roundAtMs: Number.NEGATIVE_INFINITY, floor: 0 };
}

/** Before the first refusal: at least one request of this cost per second. */
export function beforeFirst(state: AdaptiveRate, { highest }: RateBounds, cost: number): AdaptiveRate {
  if (state.floor > 0 || !(cost > state.rate)) return state;
  return { ...state, rate: Math.min(highest, cost) };
}

/** After a request that was served, and had to wait: without demand, success at this rate proves nothing. */
export function afterSuccess(
  state: AdaptiveRate,
  { highest }: RateBounds,
  cost: number,
  sentAtMs: number,
): AdaptiveRate {
  const { rate, roundAtMs } = state;
  if (sentAtMs <= roundAtMs || rate >= highest) return state;
  const step = Math.min(FIRST_STEP, state.step * (1 + (QUICKEN_PER_SECOND * cost) / rate));
  const grown = step * (cost / rate) ** GROWTH_POWER * Math.min(cost, rate / FULL_STEP_RATE);
  return { ...state, step, rate: Math.min(highest, rate + grown) };
}

/** After a request that was refused because of the rate. */
export function afterRefusal(
  state: AdaptiveRate,
  { lowest, highest }: RateBounds,
  cost: number,
  sentAtMs: number,
  nowMs: number,
): AdaptiveRate {
  let { rate, step, roundAtMs, floor } = state;
  if (sentAtMs > roundAtMs) {
    floor = rate * (step > FAST_STEP ? FAST_SHARE : LEAST_SHARE);
    step = Math.max(LEAST_STEP, step * STEP_SHARE);
    roundAtMs = nowMs;
  }
  const cut = Math.min(1, CUT * (cost / rate) ** CUT_POWER);
  rate = Math.max(floor, rate * (1 - cut), Math.min(lowest, highest));
  return { rate, step, roundAtMs, floor };
}
