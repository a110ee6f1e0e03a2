import { Sample } from './sample.ts';

/** Answers of a window: of the first, and of each other at least and at most. */
const FIRST = 4;
const FEWEST = 10;
const MOST = 128;
/** The answers of a window for a spread of 1, in proportion to the square of the spread: the mean is then exact to an eighth. */
const FOR_SPREAD = 64;
/** Means differ if they are so many errors apart. */
const CLEAR = 2;
/** A share of the latency: what all answers of a window wait at least if there is a queue. */
const STANDING = 0.2;
/** How long latency must be high before a test, in milliseconds. */
const SUSPICION_MS = 1_000;
/** The part of a fall of the requests in flight by which latency falls as well: with a queue of ours, and without. */
const OURS = 0.7;
const THEIRS = 0.3;
/** A share: how fast the limit rises. */
const STEP = 0.1;
/** Windows between two rises, after some that went badly. */
const LONGEST_HOLD = 8;
/** How often a test repeats if nothing is suspicious: in milliseconds, and in times of a window. It costs half a window. */
const REST_MS = 10_000;
const REST_WINDOWS = 100;
/** The weight of an answer in the share of those that failed, and the share from which it lowers the limit. */
const BAD_WEIGHT = 0.1;
const BAD = 0.16;

/** The logarithm by which a mean latency may exceed that of the service itself, by the spread: room for the limit, and for suspicion. */
const room = (spread: number): number => 0.07 + 0.3 * spread;
const suspicious = (spread: number): number => 0.26 + 0.5 * spread;

/** Half of the requests are held back for a window. */
interface Test {
  /** Before it. */
  readonly meanMs: number;
  readonly inFlight: number;
  readonly limit: number;
  /** The most answers per millisecond, of all tests in a row. */
  readonly rate: number;
}

/**
 * A self-tuning limit of the requests in flight. A service answers `rate` requests per millisecond, each in `ownMs` without a queue. By
 * Little's law `rate × ownMs` requests are then in work, and all others wait in a queue.
 *
 * Rising latency may come from a queue of ours, from a slower service, or from calls of other endpoints. A test tells which: if half as
 * many requests in flight halve the latency, a queue was the cause. The rule tests only where a queue is likely: more requests are in
 * flight than went well before, or the limit binds; and a queue delays the fastest answers as well.
 *
 * Sources: Little, "A Proof for the Queuing Formula L = λW", 1961; Nichols and Jacobson, "Controlling Queue Delay", 2012, for the least
 * delay of an interval; Netflix, concurrency-limits, and Envoy, adaptive concurrency, for a limit from a latency without load.
 */
export class ConcurrencyRule {
  /** The most requests in flight: a fraction while it rises. */
  limit: number;
  readonly #min: number;
  readonly #max: number;
  /** How long the service takes by itself, from so many answers, and their spread. */
  #ownMs: number | undefined;
  #ownCount = 0;
  #spread = 0;
  #leastMs: number = Number.POSITIVE_INFINITY;
  /** The most in flight that went well. */
  #calm = 0;
  /** The limit that the last test found. */
  #found: number;
  #test: Test | undefined;
  #testedMs = 0;
  #rest = 1;
  /** The answers since the latency became high. */
  #doubt: Sample | undefined;
  #doubtMs = 0;
  #hasRisen = false;
  #hold = 0;
  #held = 0;
  #bad = 0;
  /** When failures lowered the limit last, and what it was before they did. */
  #cutMs: number = Number.NEGATIVE_INFINITY;
  #beforeCut = 0;
  /** The window: its number, and what it has seen. */
  #window = 1;
  #need: number = FIRST;
  #sent = 0;
  #sample: Sample = new Sample();
  #peak = 0;
  #isBound = false;
  #startMs = 0;

  constructor(min: number, max: number) {
    this.#min = min;
    this.#max = max;
    this.limit = max;
    this.#found = max;
  }

  /** A request is sent, with which so many are in flight. Returns the window in which its latency counts; 0 for none. */
  sent(inFlight: number): number {
    if (inFlight > this.#peak) this.#peak = inFlight;
    // A few more requests than the window needs: a request that hangs must not hold the window up.
    if (this.#sent * 8 >= this.#need * 9) return 0;
    this.#sent += 1;
    return this.#window;
  }

  /** The request says nothing: it was aborted, or never sent. */
  lost(window: number): void {
    if (window === this.#window) this.#sent -= 1;
  }

  /** The service was in trouble. `inFlight` is with the request. */
  failed(window: number, sentMs: number, nowMs: number, inFlight: number): void {
    this.lost(window);
    this.#bad += BAD_WEIGHT * (1 - this.#bad);
    if (this.#bad < BAD || sentMs < this.#cutMs) return;
    const now = Math.min(this.limit, inFlight);
    if (this.#hasRisen || nowMs - this.#cutMs > REST_MS) this.#beforeCut = this.limit;
    this.#hasRisen = false;
    this.#cutMs = nowMs;
    this.limit = Math.max(this.#min, now * Math.max(0.5, 1 - this.#bad));
    this.#found = this.#calm = this.limit;
    this.#slow();
    this.#test = this.#doubt = undefined;
    this.#begin(nowMs);
  }

  /** @param isBound others wait for its slot */
  answered(window: number, sentMs: number, nowMs: number, isBound: boolean): void {
    this.#bad -= BAD_WEIGHT * this.#bad;
    if (isBound) this.#isBound = true;
    if (window !== this.#window) return;
    const sample = this.#sample;
    // A clock of whole milliseconds may say 0.
    sample.add(Math.max(0.1, nowMs - sentMs));
    if (sample.count < this.#need) return;
    if (sample.least < this.#leastMs) this.#leastMs = sample.least;
    const spread = Math.max(sample.spread, this.#spread);
    const most = Math.ceil(Math.min(MOST, Math.max(FEWEST, this.#peak, FOR_SPREAD * spread ** 2)));
    if (this.#ownMs === undefined) {
      this.#learn();
      this.#testedMs = nowMs;
    } else if (
      !(this.#test === undefined ? this.#look : this.#judge).call(this, spread, this.#need >= most, nowMs)
    ) {
      this.#need = Math.min(2 * this.#need, most);
      return;
    }
    this.#begin(nowMs);
  }

  #begin(nowMs: number): void {
    this.#window += 1;
    this.#need = FEWEST;
    this.#sent = this.#peak = 0;
    this.#sample = new Sample();
    this.#isBound = false;
    this.#startMs = nowMs;
  }

  #learn(): void {
    const { meanMs, count, spread } = this.#sample;
    this.#spread = this.#ownMs === undefined ? spread : (this.#spread + spread) / 2;
    this.#ownMs = meanMs;
    this.#ownCount = count;
  }

  /** Returns false if the window does not say enough yet. */
  #look(spread: number, isLast: boolean, nowMs: number): boolean {
    const sample = this.#sample;
    const peak = this.#peak;
    const excess = Math.log(sample.meanMs / (this.#ownMs as number));
    const error = spread / Math.sqrt(sample.count);
    const isHigh =
      excess - CLEAR * Math.hypot(error, spread / Math.sqrt(this.#ownCount)) > suspicious(spread);
    const isLow = excess + CLEAR * error < room(spread);
    if (!(isLast || isHigh || isLow)) return false;
    const isStanding = sample.least - this.#leastMs > STANDING * sample.meanMs;
    const mayBeOurs = isStanding && (this.#isBound || peak > 1.3 * this.#calm);
    if (mayBeOurs && excess > suspicious(spread)) {
      if (this.#doubt === undefined) this.#doubtMs = nowMs;
      this.#doubt ??= new Sample();
      this.#doubt.addAll(sample);
      this.#hasRisen = false;
      if (nowMs - this.#doubtMs >= SUSPICION_MS) this.#begins(this.#doubt.meanMs, peak, 0);
      return true;
    }
    this.#doubt = undefined;
    this.#calm = Math.max(this.#calm, peak);
    this.#adjust(excess, error, room(spread));
    const restMs = this.#rest * Math.max(REST_MS, REST_WINDOWS * (nowMs - this.#startMs));
    if (mayBeOurs && nowMs - this.#testedMs > restMs) this.#begins(sample.meanMs, peak, 0);
    return true;
  }

  /** Raises the limit while it binds and there is no queue, and lowers it again if there is one: never below what a test has found. */
  #adjust(excess: number, error: number, most: number): void {
    if (excess > most + STEP && this.limit > this.#found) {
      this.limit = Math.max(this.#found, Math.min(this.limit / (1 + STEP), this.limit - 1));
      this.#beforeCut = 0;
      this.#slow();
    } else if (this.#hasRisen) this.#hold >>= 1;
    this.#held -= 1;
    const isFar = this.limit < 0.7 * this.#beforeCut;
    this.#hasRisen = this.#isBound && (isFar || this.#held < 0) && excess + error < most;
    if (!this.#hasRisen) return;
    this.limit = Math.min(this.#max, Math.max(this.limit * (isFar ? 2 : 1 + STEP), this.limit + 1));
  }

  #slow(): void {
    this.#hold = Math.min(LONGEST_HOLD, 2 * this.#hold + 1);
    this.#held = this.#hold;
  }

  #begins(meanMs: number, peak: number, before: number): void {
    const inFlight = Math.min(peak, this.limit);
    const half = Math.max(this.#min, Math.floor(inFlight / 2));
    this.#doubt = this.#test = undefined;
    if (half > OURS * inFlight) return;
    this.#test = { meanMs, inFlight, limit: this.limit, rate: Math.max(before, inFlight / meanMs) };
    this.limit = half;
  }

  #judge(spread: number, isLast: boolean, nowMs: number): boolean {
    const test = this.#test as Test;
    const sample = this.#sample;
    const fewer = Math.log(test.inFlight / this.limit);
    const fall = Math.log(test.meanMs / sample.meanMs);
    const error = (CLEAR * spread) / Math.sqrt(sample.count);
    if (!(isLast || fall - error > OURS * fewer || fall + error < THEIRS * fewer)) return false;
    this.#learn();
    // All of it waits in the queue still.
    if (fall > OURS * fewer) this.#begins(sample.meanMs, this.limit, test.rate);
    else this.#test = undefined;
    if (this.#test !== test && this.#test !== undefined) return true;
    this.#testedMs = nowMs;
    const isTheirs = fall < THEIRS * fewer;
    if (isTheirs) this.#leastMs = sample.least;
    this.#rest = isTheirs ? Math.min(8, 2 * this.#rest) : 1;
    const right = Math.max(this.limit, test.rate * sample.meanMs * Math.exp(room(this.#spread)));
    this.limit = Math.min(this.#max, isTheirs ? Math.max(test.limit, right) : right);
    this.#found = this.limit;
    if (!isTheirs) this.#beforeCut = 0;
    this.#calm = isTheirs ? test.inFlight : this.limit;
    return true;
  }
}
