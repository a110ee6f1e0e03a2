import { type Quota, slackMs, stepsBy, stepsToWait, tokensAt } from './gcra.ts';
import { LowMarks } from './low-marks.ts';
import type { TokenSource } from './token-source.ts';

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
  /**
   * True to charge tokens when they are settled, and to hold back until then what is in flight.
   * @default false
   */
  readonly settled?: boolean;
}

/** Tokens that are never settled are charged after this time, in milliseconds. */
const LONGEST_HELD_MS = 600_000;

/** What is held back until it is settled. */
interface HeldBack {
  readonly cost: number;
  /** When it is charged at the latest. */
  readonly untilMs: number;
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
export class Tokens implements TokenSource<unknown> {
  #quota: Quota;
  readonly #made: Quota;
  /** The rate and the capacity that the user has set last. An adaptive limit may be slower for a while. */
  wanted: Quota;
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
  /** In the order in which it was granted; `undefined` if tokens are charged when they are granted. */
  readonly #inFlight: Set<HeldBack> | undefined;
  #lastHeld: HeldBack | undefined;
  /** What is in flight in all, and when the first of it is charged. */
  #heldBack = 0;
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(setup: TokensSetup) {
    const { refillPerSecond, capacity, initialTokens, refillIntervalMs = 0 } = setup;
    this.#quota = { refillPerSecond: 1, capacity };
    this.#made = { refillPerSecond, capacity };
    this.wanted = this.#made;
    this.#fillMs = capacity * 1_000;
    this.#speed = refillPerSecond;
    this.#intervalMs = refillIntervalMs;
    this.#longestDebtMs = setup.maxPauseMs ?? Number.POSITIVE_INFINITY;
    this.#emptyAtMs = -initialTokens * 1_000;
    this.#inFlight = setup.settled ? new Set() : undefined;
  }

  get capacity(): number {
    return this.#quota.capacity;
  }

  get refillPerSecond(): number {
    return this.#speed;
  }

  get holds(): boolean {
    return this.#inFlight !== undefined;
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
    const ownMs = this.#baseMs + Math.max(0, ranMs) * this.#speed;
    return ownMs <= FAR_FILLS * this.#fillMs ? ownMs : this.#comeNear(nowMs, ownMs);
  }

  /** Rebases own time to 0, and everything that is expressed in it. Returns 0. */
  #comeNear(nowMs: number, ownMs: number): number {
    this.#baseMs = 0;
    this.#emptyAtMs -= ownMs;
    this.#moveOrigin(nowMs);
    return 0;
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  tokens(nowMs: number): number {
    const held = this.#heldBackAt(nowMs);
    return this.#tokens(nowMs) - held;
  }

  #tokens(nowMs: number): number {
    const ownMs = this.#ownMs(nowMs);
    return tokensAt(this.#quota, this.#emptyAtMs, ownMs);
  }

  isIdle(nowMs: number): boolean {
    const { refillPerSecond, capacity } = this.wanted;
    const isAsMade = refillPerSecond === this.#made.refillPerSecond && capacity === this.#made.capacity;
    return isAsMade && this.tokens(nowMs) >= this.capacity;
  }

  /** Whether the tokens are available. In a pause it is as if it had ended now. {@link charge} then takes them. */
  has(cost: number, nowMs: number): boolean {
    return this.#ask(cost + this.#heldBackAt(nowMs), nowMs);
  }

  #ask(cost: number, nowMs: number): boolean {
    const ownMs = this.#ownMs(nowMs);
    const fullMs = ownMs - this.#fillMs;
    // As in gcra.ts, whose functions return more than one number can hold, or divide by the rate.
    const fromMs = Math.max(this.#emptyAtMs, fullMs);
    this.#lowMs = fromMs - fullMs;
    this.#thenMs = fromMs + cost * 1_000;
    return this.#thenMs <= ownMs + slackMs(this.#fillMs, ownMs);
  }

  /** Takes the tokens that {@link has} was asked for just now, or holds them back. Returns what {@link settle} needs for them. */
  charge(cost: number, nowMs: number): unknown {
    if (this.#inFlight !== undefined) return this.#hold(this.#inFlight, cost, nowMs);
    this.#takeAsked(cost);
    return this.taken;
  }

  #hold(inFlight: Set<HeldBack>, cost: number, nowMs: number): HeldBack {
    const held = { cost, untilMs: nowMs + LONGEST_HELD_MS };
    inFlight.add(held);
    this.#lastHeld = held;
    this.#heldBack += cost;
    this.#nextMs = Math.min(this.#nextMs, held.untilMs);
    return held;
  }

  /** @param counted how much of it `taken` counts */
  #takeAsked(counted: number): void {
    this.#emptyAtMs = this.#thenMs;
    this.#marks.mark(this.#lowMs, this.#fillMs, counted);
  }

  take(cost: number, nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs || !this.has(cost, nowMs)) return false;
    this.charge(cost, nowMs);
    return true;
  }

  /** The sum of all that was taken: what {@link giveBack} needs for the tokens that were taken last. */
  get taken(): number {
    return this.#marks.taken;
  }

  get held(): unknown {
    return this.#lastHeld ?? this.taken;
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
    const all = cost + this.#heldBackAt(nowMs);
    const pausedMs = this.pausedMs(nowMs);
    if (this.#ask(all, nowMs)) return pausedMs;
    const ownMs = this.#ownMs(nowMs);
    if (this.#intervalMs === 0) return pausedMs + (this.#thenMs - ownMs) / this.#speed;
    const everyMs = this.#intervalMs * this.#speed;
    const steps = stepsToWait(this.#quota, this.#emptyAtMs, all, ownMs, everyMs);
    return this.#stepAtMs(this.#stepsBy(nowMs) + steps) - nowMs;
  }

  dueMs(firstCost: number, nowMs: number): number {
    if (firstCost === 0) return Number.POSITIVE_INFINITY;
    const dueMs = nowMs + this.waitMs(firstCost, nowMs);
    // What comes in may not be enough: something in flight must be settled first.
    return firstCost + this.#heldBack > this.capacity ? Math.max(dueMs, this.#nextMs) : dueMs;
  }

  settle(surplus: number, held: unknown, nowMs: number): void {
    this.#heldBackAt(nowMs);
    if (typeof held === 'number' && surplus >= 0) this.giveBack(surplus, held, nowMs);
    else if (this.#release(held as HeldBack)) this.spend((held as HeldBack).cost - surplus, nowMs);
    // Part of an earlier grant: a server that has seen that has counted it.
    else if (surplus < 0) this.spend(-surplus, nowMs, 0);
  }

  /**
   * Gives tokens back, as far as they would be there now if they had never been taken.
   *
   * @param taken what `taken` was with them
   */
  giveBack(tokens: number, taken: number, nowMs: number): void {
    const ownMs = this.#ownMs(nowMs);
    const before = this.#emptyAtMs;
    this.#emptyAtMs -= this.#marks.giveBack(tokens * 1_000, taken, before - ownMs + this.#fillMs);
    // A paused bucket stays empty.
    if (nowMs < this.#pausedUntilMs) {
      this.#emptyAtMs = Math.max(this.#emptyAtMs, Math.min(before, this.#baseMs));
    }
  }

  /** What is in flight. What was in flight for too long is charged first. */
  #heldBackAt(nowMs: number): number {
    if (nowMs >= this.#nextMs) this.#expire(nowMs);
    return this.#heldBack;
  }

  #expire(nowMs: number): void {
    this.#nextMs = Number.POSITIVE_INFINITY;
    for (const held of this.#inFlight ?? []) {
      if (held.untilMs > nowMs) {
        this.#nextMs = held.untilMs;
        return;
      }
      this.#release(held);
      this.spend(held.cost, held.untilMs);
    }
  }

  /** Returns false if it was charged before. */
  #release(held: HeldBack): boolean {
    if (this.#inFlight?.delete(held) !== true) return false;
    // Reset when nothing is left, so that rounding errors do not add up.
    this.#heldBack = this.#inFlight.size === 0 ? 0 : this.#heldBack - held.cost;
    return true;
  }

  /** Held tokens come out of those that are left. */
  atMost(left: number, nowMs: number): void {
    this.#heldBackAt(nowMs);
    const over = this.#tokens(nowMs) - left;
    if (over > 0) this.spend(over, nowMs);
  }

  /**
   * The tokens that an answer leaves for more requests. The server may not have counted yet what was taken since, here or by
   * others, so that is subtracted: up to half the capacity, because a server that answers late may have counted all of it, and
   * must not stop everything.
   */
  heard(left: number, held: unknown): number {
    // 0 of a grant that has taken nothing here.
    const since = typeof held === 'number' && held > 0 ? this.taken - held : 0;
    return left - Math.min(since, this.capacity / 2);
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

  /**
   * Sets rate and capacity. Available tokens are kept up to the capacity.
   *
   * @param isWanted false if that is no reason to keep the limit: another one would find this rate by itself
   */
  setRate({ refillPerSecond, capacity }: Quota, nowMs: number, isWanted = true): void {
    if (isWanted) this.wanted = { refillPerSecond, capacity };
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
    this.#baseMs = this.#ownMs(nowMs);
    this.#moveOrigin(nowMs);
  }

  #moveOrigin(nowMs: number): void {
    if (nowMs < this.#originMs) return;
    if (this.#intervalMs === 0) this.#originMs = nowMs;
    else this.#steps = this.#stepsBy(nowMs);
  }
}
