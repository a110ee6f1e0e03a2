import { holding, type Quota, slackMs, stepsBy, stepsToWait, tokensAt } from './gcra.ts';
import type { TokenSource } from './token-source.ts';

/** Marks that differ by less than this share of what lacks become one, so that a limit has few: near a full limit each grant has its own. */
const APART = 1 / 32;

/** And by less than this share of the capacity. */
const SMALLEST = 1e-9;

interface Mark {
  /** How much was lacking of full, at least, in the moments that it stands for. */
  low: number;
  /** What had been taken before the last of them. */
  end: number;
}

/** Below all marks and before all grants. */
const NONE: Mark = { low: Number.NEGATIVE_INFINITY, end: 0 };

/**
 * How much of what was taken from a limit can be given back: exactly as if it had never been taken, as far as the limit had
 * room for it ever since. What comes in while a limit is full is lost.
 *
 * Each time when something is taken the limit lacks something of being full: that is a mark. A grant can give back the lowest
 * mark since then at most, and all marks since then sink by what it gives back. A mark below all before it replaces them,
 * so those that are kept rise from the first to the last.
 */
class LowMarks {
  /** The sum of all that was taken: what a grant remembers to know the marks that came after it. */
  taken = 0;
  #marks: Mark[] = [NONE];

  /**
   * Adds a mark: `taken` was taken, and the limit now lacks `low` of `full`. `taken` is 0 if the limit changes in another way.
   */
  mark(low: number, full: number, taken: number): void {
    const marks = this.#marks;
    // Not by `at`, which is not inlined.
    let last = marks[marks.length - 1] as Mark;
    for (; last.low > low; last = marks[marks.length - 1] as Mark) marks.pop();
    if (low >= last.low + Math.max(last.low * APART, full * SMALLEST)) {
      last = { low, end: 0 };
      marks.push(last);
    }
    last.end = this.taken;
    this.taken += taken;
  }

  /**
   * How much can be given back.
   *
   * @param taken what `taken` was with it
   * @param lacking what is lacking of full now
   */
  giveBack(surplus: number, taken: number, lacking: number): number {
    const isSince = (mark: Mark): boolean => mark.end >= taken;
    const since = this.#marks.filter(isSince);
    const lowest = since[0]?.low ?? Number.POSITIVE_INFINITY;
    const given = Math.max(0, Math.min(surplus, lacking, lowest));
    for (const mark of since) mark.low -= given;
    // Those before that are not lower any more are replaced.
    this.#marks = this.#marks.filter((mark) => isSince(mark) || mark.low < lowest - given);
    return given;
  }
}

/** How the tokens of a limit start. */
export interface TokensSetup extends Quota {
  readonly initialTokens: number;
  /** @default 0 */
  readonly refillIntervalMs?: number;
  /**
   * The longest time that a debt takes to pay, in milliseconds.
   * @default Infinity
   */
  readonly maxPauseMs?: number;
}

/** Own time is rebased to 0 after this many fills of the capacity: larger doubles are too coarse for short intervals. */
const FAR_FILLS = 1_000;

/**
 * The tokens of one limit: the arithmetic of gcra.ts on a time of its own ("own time"), in which one token comes in each
 * second. Whole tokens then add up exactly at any rate. Own time stands still in a pause, and its speed is the rate, so
 * neither a pause nor a new rate changes the state.
 *
 * An example with 500 tokens per second and capacity 100, in milliseconds. Own time runs 500 times as fast as real time,
 * and a token is worth 1,000 of own time.
 *
 * | real | event            | own time | empty at | tokens: (own − empty) / 1,000 |
 * |-----:|------------------|---------:|---------:|------------------------------:|
 * |    0 | made full        |        0 | −100,000 |                           100 |
 * |    0 | 80 taken         |        0 |  −20,000 |                            20 |
 * |   10 | 5 came in        |    5,000 |  −20,000 |                            25 |
 * |   10 | pause until 60   |    5,000 |    5,000 |                             0 |
 * |   60 | the pause ends   |    5,000 |    5,000 |                             0 |
 * |   70 | 5 came in        |   10,000 |    5,000 |                             5 |
 * |   70 | rate set to 100  |   10,000 |    5,000 |                             5 |
 * |  120 | 5 came in        |   15,000 |    5,000 |                            10 |
 */
export class Tokens implements TokenSource<number> {
  #quota: Quota;
  /** How long the capacity takes to come in, in own time. */
  #fillMs: number;
  // Numbers from the start: V8 allocates at each store to a field that was once undefined.
  /** When the limit is or would be empty, in own time. */
  #emptyAtMs = 0;
  /** How fast own time runs: the rate, in tokens per second. */
  #speed = 0;
  /** Own time at the real time `#originMs`; with refill steps at that of step `#steps`. */
  #baseMs = 0;
  /**
   * The real time that own time and refill steps are counted from. Without steps it moves together with `#baseMs`. With
   * steps it stays, because adding up many intervals would drift. In a pause it is the end of the pause.
   */
  #originMs = 0;
  #steps = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  readonly #intervalMs: number;
  readonly #longestDebtMs: number;
  /** What {@link has} was asked for: how much own time was lacking of full, and the state after taking what it was asked for. */
  #lowMs = 0;
  #thenMs = 0;
  readonly #marks = new LowMarks();

  constructor(setup: TokensSetup) {
    const { refillPerSecond, capacity, initialTokens, refillIntervalMs = 0 } = setup;
    this.#quota = { refillPerSecond: 1, capacity };
    this.#fillMs = capacity * 1_000;
    this.#speed = refillPerSecond;
    this.#intervalMs = refillIntervalMs;
    this.#longestDebtMs = setup.maxPauseMs ?? Number.POSITIVE_INFINITY;
    this.#emptyAtMs = holding(this.#quota, initialTokens, 0);
  }

  get capacity(): number {
    return this.#quota.capacity;
  }

  get refillPerSecond(): number {
    return this.#speed;
  }

  /** The real time of a step. */
  #stepAtMs(step: number): number {
    return this.#originMs + step * this.#intervalMs;
  }

  /** Refill steps until now; 0 without steps. */
  #stepsBy(nowMs: number): number {
    return this.#intervalMs === 0 ? 0 : stepsBy(this.#intervalMs, Math.max(0, nowMs - this.#originMs));
  }

  #ownMs(nowMs: number): number {
    const intervalMs = this.#intervalMs;
    const ranMs =
      intervalMs === 0 ? nowMs - this.#originMs : (this.#stepsBy(nowMs) - this.#steps) * intervalMs;
    return this.#baseMs + Math.max(0, ranMs) * this.#speed;
  }

  /** Own time, rebased to 0 first if it is too large to be exact. */
  #nearMs(nowMs: number): number {
    const ownMs = this.#ownMs(nowMs);
    if (ownMs <= FAR_FILLS * this.#fillMs) return ownMs;
    this.#comeNear(nowMs);
    return this.#ownMs(nowMs);
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  tokens(nowMs: number): number {
    return tokensAt(this.#quota, this.#emptyAtMs, this.#ownMs(nowMs));
  }

  isIdle(nowMs: number): boolean {
    return this.tokens(nowMs) >= this.capacity;
  }

  /** Whether the tokens are available. In a pause it is as if it had ended now. {@link charge} then takes them. */
  has(cost: number, nowMs: number): boolean {
    return this.#ask(cost, nowMs);
  }

  #ask(cost: number, nowMs: number): boolean {
    const ownMs = this.#nearMs(nowMs);
    const fullMs = ownMs - this.#fillMs;
    // As in gcra.ts, whose functions return more than one number can hold, or divide by the rate.
    const fromMs = Math.max(this.#emptyAtMs, fullMs);
    this.#lowMs = fromMs - fullMs;
    this.#thenMs = fromMs + cost * 1_000;
    return this.#thenMs <= ownMs + slackMs(this.#fillMs, ownMs);
  }

  /** Takes the tokens that {@link has} was asked for just now. Returns what {@link settle} needs for them. */
  charge(cost: number, _nowMs: number): unknown {
    this.#takeAsked(cost);
    return this.taken;
  }

  /** @param counted how much of it `taken` counts */
  #takeAsked(counted: number): void {
    this.#emptyAtMs = this.#thenMs;
    this.#marks.mark(this.#lowMs, this.#fillMs, counted);
  }

  take(cost: number, nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs || !this.#ask(cost, nowMs)) return false;
    this.#takeAsked(cost);
    return true;
  }

  get held(): number {
    return this.taken;
  }

  /**
   * Takes the tokens even if they are not available, and leaves a debt: no longer than it takes to pay in the longest time.
   *
   * @param counted how much of it `taken` counts
   */
  spend(cost: number, nowMs: number, counted: number = cost): void {
    this.#ask(cost, nowMs);
    const ownMs = this.#ownMs(nowMs);
    const fromMs = this.#lowMs + ownMs - this.#fillMs;
    const latestMs = Math.max(fromMs, ownMs + this.#longestDebtMs * this.#speed);
    const isTooMuch = this.#thenMs > latestMs;
    if (isTooMuch) this.#thenMs = latestMs;
    this.#takeAsked(isTooMuch ? Math.min(counted, (latestMs - fromMs) / 1_000) : counted);
  }

  /** How long until so many tokens have come in, in milliseconds; 0 if they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    const ownMs = this.#nearMs(nowMs);
    const intervalMs = this.#intervalMs;
    if (intervalMs === 0) {
      return this.pausedMs(nowMs) + (this.#ask(cost, nowMs) ? 0 : this.#thenMs - ownMs) / this.#speed;
    }
    const everyMs = intervalMs * this.#speed;
    const steps = stepsToWait(this.#quota, this.#emptyAtMs, cost, ownMs, everyMs);
    if (steps === 0) return this.pausedMs(nowMs);
    return this.#stepAtMs(this.#stepsBy(nowMs) + steps) - nowMs;
  }

  /** The sum of all that was taken: what {@link giveBack} needs for the tokens that were taken last. */
  get taken(): number {
    return this.#marks.taken;
  }

  dueMs(firstCost: number, nowMs: number): number {
    return firstCost === 0 ? Number.POSITIVE_INFINITY : nowMs + this.waitMs(firstCost, nowMs);
  }

  settle(surplus: number, held: number, nowMs: number): void {
    // Part of an earlier grant: a server that has seen that has counted it.
    if (surplus < 0) this.spend(-surplus, nowMs, 0);
    else this.giveBack(surplus, held, nowMs);
  }

  atMost(left: number, nowMs: number): void {
    const over = this.tokens(nowMs) - left;
    if (over > 0) this.spend(over, nowMs);
  }

  /**
   * The tokens that an answer leaves for more requests. The server may not have counted yet what was taken since, here or by
   * others, so that is subtracted: up to half the capacity, because a server that answers late may have counted all of it, and
   * must not stop everything.
   */
  heard(left: number, held: number): number {
    // 0 of a grant that has taken nothing here.
    return left - Math.min(held > 0 ? this.taken - held : 0, this.capacity / 2);
  }

  /**
   * Gives tokens back, as far as they would be there now if they had never been taken.
   *
   * @param taken what `taken` was with them
   */
  giveBack(tokens: number, taken: number, nowMs: number): void {
    const before = this.#emptyAtMs;
    this.#emptyAtMs -= this.#marks.giveBack(
      tokens * 1_000,
      taken,
      before - this.#ownMs(nowMs) + this.#fillMs,
    );
    // A paused bucket stays empty.
    if (nowMs < this.#pausedUntilMs) {
      this.#emptyAtMs = Math.max(this.#emptyAtMs, Math.min(before, this.#baseMs));
    }
  }

  /** Stops own time until `untilMs`, and empties the limit. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void {
    if (untilMs <= Math.max(nowMs, this.#pausedUntilMs)) return;
    this.#settleTime(nowMs);
    this.#emptyAtMs = Math.max(this.#emptyAtMs, this.#baseMs);
    this.#startAt(untilMs);
  }

  /** Ends a pause now, if there is one. */
  resume(nowMs: number): void {
    if (nowMs >= this.#pausedUntilMs) return;
    this.#startAt(nowMs);
  }

  /** Sets rate and capacity. Available tokens are kept up to the capacity. */
  setRate({ refillPerSecond, capacity }: Quota, nowMs: number): void {
    this.#settleTime(nowMs);
    // Tokens above a lower capacity are lost, and those that came in above the one before.
    this.spend(0, nowMs);
    this.#quota = { ...this.#quota, capacity };
    this.#fillMs = capacity * 1_000;
    this.spend(0, nowMs);
    this.#speed = refillPerSecond;
  }

  /** Lets own time and steps run from `atMs`; until then it is a pause. */
  #startAt(atMs: number): void {
    this.#originMs = atMs;
    this.#pausedUntilMs = atMs;
    this.#steps = 0;
  }

  /** Moves the base of own time to now, or to the last step. */
  #settleTime(nowMs: number): void {
    if (nowMs < this.#originMs) return;
    this.#baseMs = this.#ownMs(nowMs);
    if (this.#intervalMs === 0) this.#originMs = nowMs;
    else this.#steps = this.#stepsBy(nowMs);
  }

  /** Rebases own time to 0, and everything that is expressed in it. */
  #comeNear(nowMs: number): void {
    this.#settleTime(nowMs);
    const farMs = this.#baseMs;
    this.#baseMs = 0;
    this.#emptyAtMs -= farMs;
  }
}
