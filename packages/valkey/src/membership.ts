import type { Reply } from './known-state.ts';
import { SURE_US } from './script-state.ts';
import type { StoreCall, Who } from './store-call.ts';

/** The least time between two calls that count this process, and how much longer it is for each process. In milliseconds. */
const SOON_MS = 50;
const SOON_EACH_MS = 2;

/** How soon a process confirms a smaller share, in milliseconds: others ask for what is free then about as often. */
const SHRINK_MS = 150;

/** How soon a process asks for a larger share: others have to make room. Later half of the time that it has asked. In milliseconds. */
const GROW_MS = 200;
const LONGEST_GROW_MS = 5_000;

/** A call for tokens takes what is said along. It is waited for so long. In milliseconds. */
const RIDE_MS = 100;

/** How often a process is counted that is busy, and how much longer that is for each process. In milliseconds. */
const BUSY_MS = 3_000;
const BUSY_EACH_MS = 20;

/**
 * How often a quiet process is counted: the time doubles from {@link BUSY_MS} to this one. A request is waited for as long again. In
 * milliseconds.
 */
const QUIET_MS = 20_000;

/** The same of one without a request for ten minutes. */
const IDLE_MS = 60_000;
const IDLE_AFTER_MS = 600_000;

/** For how long after its last request a process is busy, in milliseconds. */
const BUSY_FOR_MS = 5_000;

/** A call is late by so much at most: then the share is still held. In milliseconds. */
const LATE_MS = 2_000;

/** A share that differs by less from an equal part is as good as one, in millionths. */
const NEAR = 1_000;

const WHOLE = 1_000_000;

/** What losses of the bucket leave of a share at least: so many processes that each found an empty bucket keep to the rate. */
const LEAST = WHOLE / 64;

/** Eight letters and digits, so that an operator can type it. Two processes with one name would share one share. */
const newName = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(8)), (number) => (number % 36).toString(36)).join('');

/**
 * The share of one process: what it may spend of the quota while the store is away. It never takes more than the store has
 * recorded for it, nor for longer than it has said that it would hold it.
 */
export class Membership {
  /** Names this process in the store. */
  readonly name: string;
  /** When to call the store if no request does; `Infinity` for never. */
  lookAtMs: number = Number.POSITIVE_INFINITY;
  readonly #expected: number;
  #held = 0;
  /** As much of it as no loss makes doubtful. */
  #sure = 0;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** The next call at or after this time counts. */
  #dueMs = Number.NEGATIVE_INFINITY;
  #everyMs = BUSY_MS;
  /** Since when the share is not what it should be. */
  #askingSinceMs: number | undefined;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  /** The calls that are under way and what they said; the share of the last one counts. */
  readonly #sent = new Map<
    StoreCall,
    { readonly atMs: number; readonly holdsMs: number; readonly order: number }
  >();
  #order = 0;
  #answered = 0;
  /** By the last reply that counted this process. */
  #processes = 1;
  #epoch = 0;
  /** Whether the store may know this process. */
  isKnown = false;
  #leaving: StoreCall | undefined;
  #isQuiet = true;

  constructor(expected = 0) {
    this.name = newName();
    this.#expected = expected;
  }

  /** The share at that time, from 0 to 1. */
  shareAt(nowMs: number): number {
    return nowMs <= this.#heldUntilMs ? this.#held / WHOLE : 0;
  }

  /** A request needs the store. */
  used(nowMs: number): void {
    const isBusy = nowMs - this.#usedAtMs < BUSY_FOR_MS;
    this.#usedAtMs = nowMs;
    if (!isBusy || !this.#isQuiet) return;
    this.#isQuiet = false;
    this.#dueMs = Math.min(this.#dueMs, this.#countedAtMs + BUSY_MS);
  }

  /** Whether to call the store now, for this alone. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.lookAtMs;
  }

  /** What the next call says of this process, if it is due. `isAway`: the store is lost, and the share in use until it is back. */
  next(call: StoreCall, nowMs: number, timeoutMs: number, isAway: boolean): Who | undefined {
    if (nowMs < this.#dueMs && !isAway) return undefined;
    if (isAway) this.#heldUntilMs = Number.POSITIVE_INFINITY;
    if (nowMs > this.#heldUntilMs) this.#held = 0;
    const holdsMs = 2 * this.#everyMs + LATE_MS + 2 * timeoutMs;
    this.#order += 1;
    this.#sent.set(call, { atMs: nowMs, holdsMs, order: this.#order });
    this.#countedAtMs = nowMs;
    this.#dueMs = nowMs + timeoutMs;
    this.lookAtMs = this.#dueMs;
    this.isKnown = true;
    return { name: this.name, held: this.#held, holdsMs, expected: this.#expected };
  }

  /** What the last call says: this process leaves. `undefined` if the store does not know it. */
  leave(call: StoreCall): Who | undefined {
    if (!this.isKnown) return undefined;
    this.isKnown = false;
    this.#leaving = call;
    this.lookAtMs = Number.POSITIVE_INFINITY;
    return { name: this.name, held: Math.ceil(this.#held), holdsMs: 0, expected: 0 };
  }

  /** True while the store is told that this process leaves. */
  get isLeaving(): boolean {
    return this.#leaving !== undefined;
  }

  /** A call got a reply, or never will. */
  answered(call: StoreCall, reply: Reply | undefined, nowMs: number): void {
    if (call === this.#leaving) this.#leaving = undefined;
    const sent = this.#sent.get(call);
    this.#sent.delete(call);
    if (reply === undefined) return;
    if (sent !== undefined && reply.share !== undefined && sent.order > this.#answered) {
      this.#answered = sent.order;
      const fair = Math.floor(WHOLE / Math.max(reply.processes, this.#expected));
      const isSmaller = reply.share < this.#held;
      const isSettled = Math.abs(reply.share - fair) <= NEAR && !isSmaller;
      const isLost = this.#epoch !== 0 && reply.epoch !== this.#epoch;
      this.#held = isLost ? this.#sureOf(reply.share) : reply.share;
      if (reply.atUs - reply.epoch >= SURE_US) this.#sure = this.#held;
      this.#heldUntilMs = sent.atMs + sent.holdsMs;
      this.#processes = reply.processes;
      this.#epoch = reply.epoch;
      // The store keeps a smaller share reserved until this process has confirmed it.
      if (isSettled) {
        this.#askingSinceMs = undefined;
        this.#plan(nowMs);
      } else if (isSmaller) this.#dueSoon(SHRINK_MS, nowMs);
      else {
        this.#askingSinceMs ??= nowMs;
        this.#dueSoon(SOON_MS, nowMs);
        const laterMs = Math.min(Math.max(GROW_MS, (nowMs - this.#askingSinceMs) / 2), LONGEST_GROW_MS);
        this.#lookBy(Math.max(this.lookAtMs, nowMs + laterMs), nowMs);
      }
    } else if (this.isKnown && (reply.epoch !== this.#epoch || reply.processes !== this.#processes)) {
      // Others have come or gone, or the store has lost the shares.
      this.#dueSoon(SOON_MS, nowMs);
    }
  }

  /** The share after a loss: others may hold one that neither the bucket before nor this one has recorded. */
  #sureOf(share: number): number {
    const least = Math.max(this.#sure, this.#expected === 0 ? LEAST : WHOLE / this.#expected);
    return Math.min(share, Math.max(least, Math.floor(share / 2)));
  }

  #dueSoon(soonMs: number, nowMs: number): void {
    this.#dueMs = Math.max(nowMs, this.#countedAtMs + Math.max(soonMs, SOON_EACH_MS * this.#processes));
    this.#lookBy(this.#dueMs + (this.#isQuiet ? 0 : RIDE_MS), nowMs);
  }

  /** When this process is counted next. The time grows no faster than the last call has said that it would hold the share. */
  #plan(nowMs: number): void {
    const busyMs = Math.max(BUSY_MS, BUSY_EACH_MS * this.#processes);
    const idleMs = nowMs - this.#usedAtMs;
    const mostMs = Math.max(busyMs, idleMs >= IDLE_AFTER_MS ? IDLE_MS : QUIET_MS);
    this.#isQuiet = idleMs >= BUSY_FOR_MS;
    this.#everyMs = Math.min(2 * this.#everyMs, this.#isQuiet ? mostMs : busyMs);
    this.#dueMs = this.#countedAtMs + this.#everyMs;
    // A request that comes by then takes it along.
    this.#lookBy(this.#dueMs + this.#everyMs, nowMs);
  }

  /** Calls the store at that time, but before the share expires. */
  #lookBy(atMs: number, nowMs: number): void {
    const endMs = this.#heldUntilMs - LATE_MS;
    this.lookAtMs = endMs > nowMs ? Math.min(atMs, endMs) : atMs;
    this.#dueMs = Math.min(this.#dueMs, this.lookAtMs);
  }
}
