import type { Reply } from './known-state.ts';
import { SURE_US } from './script-state.ts';
import type { StoreCall, Who } from './store-call.ts';

/** The least time between two calls that count this process, and the least time per process of the fleet. In milliseconds. */
const SOON_MS = 50;
const SOON_EACH_MS = 2;

/** How soon a process confirms a smaller share, in milliseconds: other processes ask for free shares about as often. */
const SHRINK_MS = 150;

/** How soon a process asks for a larger share: others have to make room. Later half of the time that it has asked. In milliseconds. */
const GROW_MS = 200;
const LONGEST_GROW_MS = 5_000;

/** How long a report waits for a call for tokens to take the report along. In milliseconds. */
const RIDE_MS = 100;

/** The time between two counts of a busy process, and the least time per process of the fleet. In milliseconds. */
const BUSY_MS = 3_000;
const BUSY_EACH_MS = 20;

/**
 * The time without a request after which a process is quiet: a quiet process reports once that it holds its share for twice
 * {@link QUIET_MS}, and makes no more calls to keep the share. Later requests take the report along. In milliseconds.
 */
const QUIET_AFTER_MS = 6_000;
const QUIET_MS = 60_000;

/** A quiet process with two requests within this time is busy again, in milliseconds. */
const BUSY_FOR_MS = 5_000;

/** A call is late by so much at most: then the share is still held. In milliseconds. */
const LATE_MS = 2_000;

/** A share that differs by less from an equal part is as good as one, in millionths. */
const NEAR = 1_000;

const WHOLE = 1_000_000;

/**
 * The least share after losses of the bucket, and the share of a process that was quiet for longer than announced: 64 processes keep to the
 * rate, even if none knows of the others.
 */
const LEAST = WHOLE / 64;

/** Eight letters and digits, so that an operator can type it. Two processes with one name would share one share. */
const newName = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(8)), (number) => (number % 36).toString(36)).join('');

/**
 * The share of one process: the part of the quota that the process may spend while the store is away. A process never takes more than the
 * store has recorded for it, nor for longer than announced to the store.
 */
export class Membership {
  /** Names this process in the store. */
  readonly name: string;
  /** When to call the store if no request does; `Infinity` for never. */
  lookAtMs: number = Number.POSITIVE_INFINITY;
  readonly #expected: number;
  #held = 0;
  /** The share that the store recorded last, held or not. */
  #recorded = 0;
  /** The part of the share that no loss makes doubtful. */
  #sure = 0;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  /** The next call at or after this time counts. */
  #dueMs = Number.NEGATIVE_INFINITY;
  /** How often the last call has said that this process is counted. */
  #everyMs = BUSY_MS;
  /** Since when the share is not what it should be. */
  #askingSinceMs: number | undefined;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  /** The calls under way and their reports; the share of the last call counts. */
  readonly #sent = new Map<
    StoreCall,
    { readonly atMs: number; readonly holdsMs: number; readonly order: number }
  >();
  #order = 0;
  #answered = 0;
  /** By the last reply that counted this process. */
  #processes = 1;
  /** The most processes since this process was last busy: the store may have forgotten some quiet processes. */
  #mostProcesses = 1;
  #epoch = 0;
  /** Whether the store may know this process. */
  isKnown = false;
  #leaving: StoreCall | undefined;
  #isQuiet = false;

  constructor(expected = 0) {
    this.name = newName();
    this.#expected = expected;
  }

  /** The share at that time, from 0 to 1. */
  shareAt(nowMs: number): number {
    return (nowMs <= this.#heldUntilMs ? this.#held : this.#unheld) / WHOLE;
  }

  /** The rest of a share that is not held any more: other processes may have the share. */
  get #unheld(): number {
    return Math.min(this.#recorded, this.#least);
  }

  get #least(): number {
    return this.#expected === 0 ? LEAST : WHOLE / this.#expected;
  }

  /** A request needs the store. */
  used(nowMs: number): void {
    const isBusy = nowMs - this.#usedAtMs < BUSY_FOR_MS;
    this.#usedAtMs = nowMs;
    if (!isBusy || !this.#isQuiet) return;
    this.#isQuiet = false;
    this.#dueMs = Math.min(this.#dueMs, this.#countedAtMs + BUSY_MS);
  }

  /** A call at that time has lost the store: the share held then is in use until the store is back. */
  lost(atMs: number): void {
    if (atMs > this.#heldUntilMs) this.#held = this.#unheld;
    this.#heldUntilMs = Number.POSITIVE_INFINITY;
  }

  /** The next call counts this process. */
  countNext(): void {
    this.#dueMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether a request should have this process counted, since it makes no call for that by itself. */
  isWaiting(nowMs: number): boolean {
    return this.lookAtMs === Number.POSITIVE_INFINITY && nowMs >= this.#dueMs;
  }

  /** Whether to call the store now, for this alone. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.lookAtMs;
  }

  /**
   * Returns the report of this process for the next call, if a report is due. `isAway`: the store is lost, and the share in use until the
   * store is back.
   */
  next(call: StoreCall, nowMs: number, timeoutMs: number, isAway: boolean): Who | undefined {
    if (nowMs < this.#dueMs && !isAway) return undefined;
    if (isAway) this.#heldUntilMs = Number.POSITIVE_INFINITY;
    if (nowMs > this.#heldUntilMs) this.#held = 0;
    this.#isQuiet ||= this.#isIdle(nowMs);
    const busyMs = Math.max(BUSY_MS, BUSY_EACH_MS * this.#processes);
    this.#everyMs = this.#isQuiet ? Math.max(QUIET_MS, busyMs) : busyMs;
    const holdsMs = 2 * this.#everyMs + LATE_MS + 2 * timeoutMs;
    this.#order += 1;
    this.#sent.set(call, { atMs: nowMs, holdsMs, order: this.#order });
    this.#countedAtMs = nowMs;
    this.#dueMs = nowMs + timeoutMs;
    this.lookAtMs = this.#dueMs;
    this.isKnown = true;
    return { name: this.name, held: this.#held, holdsMs, expected: this.#expects };
  }

  /** How many processes there will be at least, as far as that is known. */
  get #expects(): number {
    return this.#isQuiet ? Math.max(this.#expected, this.#mostProcesses) : this.#expected;
  }

  /** Returns the report of the last call: this process leaves. `undefined` if the store does not know the process. */
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
      this.#mostProcesses = this.#isQuiet ? Math.max(this.#mostProcesses, reply.processes) : reply.processes;
      const fair = Math.floor(WHOLE / Math.max(reply.processes, this.#expects));
      const isSmaller = reply.share < this.#held;
      const isSettled = Math.abs(reply.share - fair) <= NEAR;
      const isLost = this.#epoch !== 0 && reply.epoch !== this.#epoch;
      this.#held = isLost ? this.#sureOf(reply.share) : reply.share;
      if (reply.atUs - reply.epoch >= SURE_US) this.#sure = this.#held;
      this.#heldUntilMs = sent.atMs + sent.holdsMs;
      if (nowMs <= this.#heldUntilMs) this.#recorded = this.#held;
      this.#processes = reply.processes;
      this.#epoch = reply.epoch;
      // The store keeps a smaller share reserved until this process has confirmed it.
      if (isSmaller) this.#dueSoon(SHRINK_MS, nowMs);
      else if (isSettled || this.#isIdle(nowMs)) {
        this.#askingSinceMs = undefined;
        this.#plan(nowMs);
      } else {
        this.#askingSinceMs ??= nowMs;
        this.#dueSoon(SOON_MS, nowMs);
        const laterMs = Math.min(Math.max(GROW_MS, (nowMs - this.#askingSinceMs) / 2), LONGEST_GROW_MS);
        // In a younger bucket no share grows; others look whether it was lost.
        const sureInMs = reply.processes > 1 ? 0 : (SURE_US - (reply.atUs - reply.epoch)) / 1_000;
        this.#lookBy(Math.max(this.lookAtMs, nowMs + Math.max(laterMs, sureInMs)), nowMs);
      }
    } else if (this.isKnown && (reply.epoch !== this.#epoch || reply.processes !== this.#processes)) {
      // Others have come or gone, or the store has lost the shares.
      this.#dueSoon(SOON_MS, nowMs);
    }
  }

  /** The share after a loss: others may hold one that neither the bucket before nor this one has recorded. */
  #sureOf(share: number): number {
    const least = Math.max(this.#sure, this.#least);
    return Math.min(share, Math.max(least, Math.floor(share / 2)));
  }

  #dueSoon(soonMs: number, nowMs: number): void {
    this.#dueMs = Math.max(nowMs, this.#countedAtMs + Math.max(soonMs, SOON_EACH_MS * this.#processes));
    this.#lookBy(this.#dueMs + (this.#isQuiet ? 0 : RIDE_MS), nowMs);
  }

  /** No request has come for so long. False before the first. */
  #isIdle(nowMs: number): boolean {
    return this.#usedAtMs > Number.NEGATIVE_INFINITY && nowMs - this.#usedAtMs >= QUIET_AFTER_MS;
  }

  /** When this process is counted next. */
  #plan(nowMs: number): void {
    this.#dueMs = this.#countedAtMs + this.#everyMs;
    // A request before then takes the report along; a quiet process waits for a request.
    if (this.#isQuiet) this.lookAtMs = Number.POSITIVE_INFINITY;
    else this.#lookBy(this.#dueMs + this.#everyMs, nowMs);
  }

  /** Calls the store at that time, but before the share expires. */
  #lookBy(atMs: number, nowMs: number): void {
    const endMs = this.#heldUntilMs - LATE_MS;
    this.lookAtMs = endMs > nowMs ? Math.min(atMs, endMs) : atMs;
    this.#dueMs = Math.min(this.#dueMs, this.lookAtMs);
  }
}
