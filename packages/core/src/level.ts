import {
  giveBack,
  holding,
  lastStepMs,
  nextStepMs,
  type Quota,
  spend,
  take,
  tokensAt,
  waitMs,
} from './gcra.ts';

/** How much flows into a level, and how much it holds. */
export interface Rate {
  readonly refillPerSecond: number;
  readonly capacity: number;
}

/** Beyond about a day a number tells the small times of high rates too coarsely. */
const FAR_MS = 1e8;

/**
 * How full one bucket is: the arithmetic of gcra.ts on a time of the level's own. That time stands still in a
 * pause, and runs faster or slower when the rate is set anew, so that neither touches the state, and what was
 * noted in it stays true.
 */
export class Level {
  /** As it was at first; a rate that was set later shows in the speed. Steps are steps of the real time. */
  #quota: Quota;
  #emptyAtMs: number;
  #speed = 1;
  /** The own time was `#base` at the real time `#since`, which lies ahead in a pause, and has run from there. */
  #baseMs = 0;
  #sinceMs: number;
  readonly #intervalMs: number;
  /** No token that came in before this moment of the own time is left. Known from changes of the capacity. */
  #noneBeforeMs = Number.NEGATIVE_INFINITY;
  /** How much further back than they were noted the states of former grants lie: what was given back since. */
  #shiftMs = 0;

  constructor(rate: Rate, intervalMs: number, tokens: number, nowMs: number) {
    this.#quota = { ...rate, refillIntervalMs: 0 };
    this.#intervalMs = intervalMs;
    this.#sinceMs = nowMs;
    this.#emptyAtMs = holding(this.#quota, tokens, 0);
  }

  get capacity(): number {
    return this.#quota.capacity;
  }

  get refillPerSecond(): number {
    return this.#quota.refillPerSecond * this.#speed;
  }

  #ownMs(nowMs: number): number {
    if (nowMs <= this.#sinceMs) return this.#baseMs;
    return this.#baseMs + lastStepMs(this.#intervalMs, nowMs - this.#sinceMs) * this.#speed;
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#sinceMs - nowMs);
  }

  tokens(nowMs: number): number {
    return tokensAt(this.#quota, this.#emptyAtMs, this.#ownMs(nowMs));
  }

  /** Takes the tokens, if they are there. */
  take(cost: number, nowMs: number): boolean {
    if (nowMs < this.#sinceMs) return false;
    let ownMs = this.#ownMs(nowMs);
    if (ownMs > FAR_MS) {
      this.#comeNear(nowMs);
      ownMs = this.#ownMs(nowMs);
    }
    const after = take(this.#quota, this.#emptyAtMs, cost, ownMs);
    if (after === undefined) return false;
    this.#emptyAtMs = after;
    return true;
  }

  /** Takes the tokens, whether they are there or not. */
  spend(cost: number, nowMs: number): void {
    this.#emptyAtMs = spend(this.#quota, this.#emptyAtMs, cost, this.#ownMs(nowMs));
  }

  /** How long until so many tokens have come in; 0 when they can be taken now. */
  waitMs(cost: number, nowMs: number): number {
    const ownMs = this.#ownMs(nowMs);
    const leftMs = waitMs(this.#quota, this.#emptyAtMs, cost, ownMs);
    if (leftMs === 0) return this.pausedMs(nowMs);
    const intervalMs = this.#intervalMs;
    const ranMs = lastStepMs(intervalMs, Math.max(0, nowMs - this.#sinceMs));
    const runMs = nextStepMs(intervalMs, (ownMs + leftMs - this.#baseMs) / this.#speed);
    // What is not there at this step is not there before the next, however little lacks.
    return this.#sinceMs + Math.max(runMs, ranMs + intervalMs) - nowMs;
  }

  /** What {@link giveBack} wants to know later of tokens that were taken just now. */
  get held(): number {
    return this.#emptyAtMs + this.#shiftMs;
  }

  giveBack(tokens: number, held: number, nowMs: number): void {
    const heldMs = held - this.#shiftMs;
    const mostTokens = ((heldMs - this.#noneBeforeMs) * this.#quota.refillPerSecond) / 1_000;
    const before = this.#emptyAtMs;
    const given = Math.max(0, Math.min(tokens, mostTokens));
    this.#emptyAtMs = giveBack(this.#quota, before, given, heldMs, this.#ownMs(nowMs));
    // A pause leaves the bucket empty.
    if (nowMs < this.#sinceMs) this.#emptyAtMs = Math.max(this.#emptyAtMs, Math.min(before, this.#baseMs));
    this.#shiftMs += before - this.#emptyAtMs;
  }

  /** Lets no time pass until `untilMs`, and goes on from empty. Never shortens a pause. */
  pause(untilMs: number, nowMs: number): void {
    if (untilMs <= Math.max(nowMs, this.#sinceMs)) return;
    this.#settleTime(nowMs);
    this.#emptyAtMs = Math.max(this.#emptyAtMs, this.#baseMs);
    this.#sinceMs = untilMs;
  }

  /** Tokens that are there stay, as far as there is room. */
  setRate({ refillPerSecond, capacity }: Rate, nowMs: number): void {
    this.#settleTime(nowMs);
    const fillMs = (this.#quota.capacity * 1_000) / this.#quota.refillPerSecond;
    this.#noneBeforeMs = Math.max(this.#noneBeforeMs, this.#baseMs - fillMs);
    this.#emptyAtMs = Math.max(this.#emptyAtMs, this.#noneBeforeMs);
    this.#quota = { ...this.#quota, capacity };
    this.#speed = refillPerSecond / this.#quota.refillPerSecond;
  }

  /** Moves the point from which the own time runs to the last step before now. */
  #settleTime(nowMs: number): void {
    if (nowMs <= this.#sinceMs) return;
    const runMs = lastStepMs(this.#intervalMs, nowMs - this.#sinceMs);
    this.#baseMs += runMs * this.#speed;
    this.#sinceMs += runMs;
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
