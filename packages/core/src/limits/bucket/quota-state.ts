import {
  giveBack,
  holding,
  type Quota,
  spend,
  stepsBy,
  stepsToWait,
  take,
  tokensAt,
  waitMs,
} from './gcra.ts';

/** How much flows into a level, and how much it holds. */
export interface Rate {
  readonly refillPerSecond: number;
  readonly capacity: number;
}

/** The own time is set back to 0 after this many fills of the level, because larger numbers are too coarse. */
const FAR_FILLS = 1_000;

/**
 * How full one bucket is: the arithmetic of gcra.ts on a time of the level's own, in which one token comes each
 * second. So whole tokens add up exactly, at any rate. That time stands still in a pause, and runs faster or slower
 * when the rate is set anew, so that neither touches the state, and what was noted in it stays true.
 */
export class Level {
  #quota: Quota;
  #emptyAtMs: number;
  /** How much faster than the real time the own time runs. */
  #speed: number;
  /** The own time at the real time of `#steps`, from which it has run; without steps at `#originMs`. */
  #baseMs = 0;
  /**
   * Steps are counted from this real time: the sum of many intervals would drift. Without steps it moves on with
   * `#baseMs`. In a pause it lies ahead.
   */
  #originMs: number;
  #steps = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  readonly #intervalMs: number;
  /** No token that came in before this moment of the own time is left. Known from changes of the capacity. */
  #noneBeforeMs = Number.NEGATIVE_INFINITY;
  /** How much further back than they were noted the states of former grants lie: what was given back since. */
  #shiftMs = 0;

  constructor({ refillPerSecond, capacity }: Rate, intervalMs: number, tokens: number, nowMs: number) {
    this.#quota = { refillPerSecond: 1, capacity, refillIntervalMs: 0 };
    this.#speed = refillPerSecond;
    this.#intervalMs = intervalMs;
    this.#originMs = nowMs;
    this.#emptyAtMs = holding(this.#quota, tokens, 0);
  }

  get capacity(): number {
    return this.#quota.capacity;
  }

  get refillPerSecond(): number {
    return this.#speed;
  }

  /** How long the own time takes to bring the capacity. */
  get #fillMs(): number {
    return this.#quota.capacity * 1_000;
  }

  /** The real time of a step. */
  #stepAtMs(step: number): number {
    return this.#originMs + step * this.#intervalMs;
  }

  /** How many steps there were until now; none without steps. */
  #stepsBy(nowMs: number): number {
    return this.#intervalMs === 0 ? 0 : stepsBy(this.#intervalMs, Math.max(0, nowMs - this.#originMs));
  }

  #ownMs(nowMs: number): number {
    const intervalMs = this.#intervalMs;
    const ranMs =
      intervalMs === 0 ? nowMs - this.#originMs : (this.#stepsBy(nowMs) - this.#steps) * intervalMs;
    return this.#baseMs + Math.max(0, ranMs) * this.#speed;
  }

  /** The same, near enough to 0 to be exact. */
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

  /** Takes the tokens, if they are there. */
  take(cost: number, nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs) return false;
    const ownMs = this.#nearMs(nowMs);
    const after = take(this.#quota, this.#emptyAtMs, cost, ownMs);
    if (after === undefined) return false;
    this.#emptyAtMs = after;
    return true;
  }

  /** Takes the tokens, whether they are there or not. */
  spend(cost: number, nowMs: number): void {
    const ownMs = this.#nearMs(nowMs);
    this.#emptyAtMs = spend(this.#quota, this.#emptyAtMs, cost, ownMs);
  }

  /** How long until so many tokens have come in, at least; 0 when they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    const ownMs = this.#nearMs(nowMs);
    const intervalMs = this.#intervalMs;
    if (intervalMs === 0) {
      return this.pausedMs(nowMs) + waitMs(this.#quota, this.#emptyAtMs, cost, ownMs) / this.#speed;
    }
    const everyMs = intervalMs * this.#speed;
    const steps = stepsToWait(this.#quota, this.#emptyAtMs, cost, ownMs, everyMs);
    if (steps === 0) return this.pausedMs(nowMs);
    return this.#stepAtMs(this.#stepsBy(nowMs) + steps) - nowMs;
  }

  /** What {@link giveBack} wants to know later of tokens that were taken just now. */
  get held(): number {
    return this.#emptyAtMs + this.#shiftMs;
  }

  giveBack(tokens: number, held: number, nowMs: number): void {
    const heldMs = held - this.#shiftMs;
    const mostTokens = (heldMs - this.#noneBeforeMs) / 1_000;
    const before = this.#emptyAtMs;
    const given = Math.max(0, Math.min(tokens, mostTokens));
    this.#emptyAtMs = giveBack(this.#quota, before, given, heldMs, this.#ownMs(nowMs));
    // A pause leaves the bucket empty.
    if (nowMs < this.#pausedUntilMs) {
      this.#emptyAtMs = Math.max(this.#emptyAtMs, Math.min(before, this.#baseMs));
    }
    this.#shiftMs += before - this.#emptyAtMs;
  }

  /** Lets no time pass until `untilMs`, and goes on from empty. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void {
    if (untilMs <= Math.max(nowMs, this.#pausedUntilMs)) return;
    this.#settleTime(nowMs);
    this.#emptyAtMs = Math.max(this.#emptyAtMs, this.#baseMs);
    this.#startAt(untilMs);
    this.#pausedUntilMs = untilMs;
  }

  /** Ends a pause, if there is one. */
  resume(nowMs: number): void {
    if (nowMs >= this.#pausedUntilMs) return;
    this.#startAt(nowMs);
    this.#pausedUntilMs = nowMs;
  }

  /** Tokens that are there stay, as far as there is room. */
  setRate({ refillPerSecond, capacity }: Rate, nowMs: number): void {
    this.#settleTime(nowMs);
    this.#noneBeforeMs = Math.max(this.#noneBeforeMs, this.#baseMs - this.#fillMs);
    this.#emptyAtMs = Math.max(this.#emptyAtMs, this.#noneBeforeMs);
    this.#quota = { ...this.#quota, capacity };
    this.#speed = refillPerSecond;
  }

  /** Has the own time, and the steps, run from here. */
  #startAt(atMs: number): void {
    this.#originMs = atMs;
    this.#steps = 0;
  }

  /** Moves the point from which the own time runs to the last step before now. */
  #settleTime(nowMs: number): void {
    if (nowMs < this.#originMs) return;
    this.#baseMs = this.#ownMs(nowMs);
    if (this.#intervalMs === 0) this.#originMs = nowMs;
    else this.#steps = this.#stepsBy(nowMs);
  }

  /** Sets the own time back to 0, and all that is noted in it. */
  #comeNear(nowMs: number): void {
    this.#settleTime(nowMs);
    const farMs = this.#baseMs;
    this.#baseMs = 0;
    this.#emptyAtMs -= farMs;
    this.#noneBeforeMs -= farMs;
    this.#shiftMs += farMs;
  }
}
