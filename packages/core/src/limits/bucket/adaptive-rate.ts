/**
 * How an adaptive bucket finds its rate, as a rule from state to state: no clock, no queue, no tokens.
 *
 * Every response that had to wait for its tokens raises the rate by `step` tokens per second. Responses come in at that same rate, so
 * the rate grows by a share of itself each second, whatever its size. A refusal lowers the rate by a share. The requests of a
 * round, which were sent before the first refusal was known, all report the same overload: together they lower the rate to
 * `floor` at most.
 *
 * A small client is lowered more with each refusal, a large one by less with each but has more of them. So those that send
 * more than others are lowered more, and shares of a quota become equal.
 *
 * Sources: multiplicative probing and slow start, RFC 5681 §3.1; growth in proportion to what is sent, Kelly, *Scalable TCP*,
 * 2003; growth that quickens with the time since the last refusal, RFC 9438 (CUBIC) §4; growth only under load, RFC 7661;
 * why the larger must yield more, Chiu and Jain, *Analysis of the Increase and Decrease Algorithms*, 1989.
 */
export interface AdaptiveRate {
  /** Tokens per second. */
  readonly rate: number;
  /** The rest of the fast start: the least share by which the rate grows in a second. */
  readonly step: number;
  /** How long requests have waited and succeeded since the last refusal, in seconds; 0 if none has. */
  readonly calmSeconds: number;
  /** When the last round of refusals began, in milliseconds. Requests sent until then say nothing about the rate since. */
  readonly roundAtMs: number;
  /** The lowest rate to which the refusals of this round lead. */
  readonly floor: number;
}

/** The bounds of the rate, in tokens per second. */
export interface RateBounds {
  readonly lowest: number;
  readonly highest: number;
}

/** The rate doubles in a second until the first refusal. */
const FIRST_STEP = Math.LN2;
/** The share of `step` that a refusal leaves. */
const STEP_SHARE = 0.4;
/** After a refusal a client of one request per second grows by 4.5 % in a second, one of ten by 3.4 %, one of a thousand by 1.9 %. */
const LEAST_STEP = 0.045;
/** After this many seconds without a refusal the rate grows twice as fast, after twice as many five times: the quota must have grown. */
const CALM_SECONDS = 20;
/** A refusal divides a rate of one request per second by 1 more than this. */
const CUT = 0.44;
/**
 * The weight of a refusal if nothing has succeeded since the one before. Less than 1: a client in step with the server must not
 * lock out others.
 */
const AGAIN = 0.25;
/** A round of refusals lowers the rate to half at most, as in RFC 5681. */
const LEAST_SHARE = 0.5;
/**
 * The step of a rate r of requests per second is r^-1/8 of the step of one request per second, and the cut of a refusal about
 * r^-3/8. A client of a thousand times the rate has a thousand times the refusals, and each takes a thirteenth as much: it is
 * lowered more, and grows less. With a power of 1 shares would not become equal; with none a large client would be halved by a
 * few refusals.
 */
const GROWTH_POWER = 1 / 8;
const CUT_POWER = 3 / 8;
/** The first rate, as a share of the highest: the fifth-hundredth client is refused from the start. */
const FIRST_SHARE = 1 / 500;

/** Starts at a five-hundredth of the highest rate, or a token per second. */
export function firstRate({ lowest, highest }: RateBounds): AdaptiveRate {
  const rate = Math.min(highest, Math.max(lowest, 1, highest * FIRST_SHARE));
  return { rate, step: FIRST_STEP, calmSeconds: 0, roundAtMs: Number.NEGATIVE_INFINITY, floor: 0 };
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
  const seconds = cost / rate;
  const calmSeconds = state.calmSeconds + seconds;
  const found = LEAST_STEP * seconds ** GROWTH_POWER * (1 + (calmSeconds / CALM_SECONDS) ** 2);
  const step = Math.min(FIRST_STEP, Math.max(state.step, found));
  return { ...state, calmSeconds, rate: Math.min(highest, rate + step * cost) };
}

/** After a request that was refused because of the rate. */
export function afterRefusal(
  state: AdaptiveRate,
  { lowest, highest }: RateBounds,
  cost: number,
  sentAtMs: number,
  nowMs: number,
): AdaptiveRate {
  let { rate, step, calmSeconds, roundAtMs, floor } = state;
  let cut = CUT * (cost / rate) ** CUT_POWER;
  if (sentAtMs > roundAtMs) {
    // A client of which nothing was served yet has not found a rate to grow slowly from.
    if (calmSeconds > 0) step *= STEP_SHARE;
    else cut *= AGAIN;
    floor = rate * LEAST_SHARE;
    roundAtMs = nowMs;
    calmSeconds = 0;
  }
  rate = Math.max(floor, rate / (1 + cut), Math.min(lowest, highest));
  return { rate, step, calmSeconds, roundAtMs, floor };
}
