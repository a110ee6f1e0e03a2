import { holding, type Quota, slackMs, stepsBy, stepsToWait, tokensAt } from './gcra.ts';
import { LowMarks } from './low-marks.ts';

/** How the tokens of a limit start. */
export interface StateSetup extends Quota {
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
export class QuotaState {
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
  /** What {@link ask} has found: how much own time was lacking of full, and the state after taking what it was asked for. */
  #lowMs = 0;
  #thenMs = 0;
  readonly #marks = new LowMarks();

  constructor(setup: StateSetup) {
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

  /** Whether the tokens are available. In a pause it is as if it had ended now. {@link takeAsked} then takes them. */
  ask(cost: number, nowMs: number): boolean {
    const ownMs = this.#nearMs(nowMs);
    const fullMs = ownMs - this.#fillMs;
    // As in gcra.ts, whose functions return more than one number can hold, or divide by the rate.
    const fromMs = Math.max(this.#emptyAtMs, fullMs);
    this.#lowMs = fromMs - fullMs;
    this.#thenMs = fromMs + cost * 1_000;
    return this.#thenMs <= ownMs + slackMs(this.#fillMs, ownMs);
  }

  /**
   * Takes what {@link ask} was asked for just now, even if it was not available: that leaves a debt.
   *
   * @param counted how much of it `taken` counts
   */
  takeAsked(counted: number): void {
    this.#emptyAtMs = this.#thenMs;
    this.#marks.mark(this.#lowMs, this.#fillMs, counted);
  }

  /** Takes the tokens, if they are available. */
  take(cost: number, nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs || !this.ask(cost, nowMs)) return false;
    this.takeAsked(cost);
    return true;
  }

  /**
   * Takes the tokens even if they are not available, and leaves a debt: no longer than it takes to pay in the longest time.
   *
   * @param counted how much of it `taken` counts
   */
  spend(cost: number, nowMs: number, counted: number = cost): void {
    this.ask(cost, nowMs);
    const ownMs = this.#ownMs(nowMs);
    const fromMs = this.#lowMs + ownMs - this.#fillMs;
    const latestMs = Math.max(fromMs, ownMs + this.#longestDebtMs * this.#speed);
    const isTooMuch = this.#thenMs > latestMs;
    if (isTooMuch) this.#thenMs = latestMs;
    this.takeAsked(isTooMuch ? Math.min(counted, (latestMs - fromMs) / 1_000) : counted);
  }

  /** How long until so many tokens have come in, in milliseconds; 0 if they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    const ownMs = this.#nearMs(nowMs);
    const intervalMs = this.#intervalMs;
    if (intervalMs === 0) {
      return this.pausedMs(nowMs) + (this.ask(cost, nowMs) ? 0 : this.#thenMs - ownMs) / this.#speed;
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
