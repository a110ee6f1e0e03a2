import type { Amount, SourceFault, SteadyTime, TokenSource } from '@ebb/core/bucket';
import { callObject } from './call-object.ts';
import type { LeaseCall, LeaseReply } from './lease-call.ts';
import { LeasePool } from './lease-pool.ts';
import type { DurableSetup } from './options.ts';
import { Outage } from './outage.ts';

/**
 * After `timeoutMs` and a fifth of it a call without a result is sent again by another request: its own request has ended, and the timer
 * of the call with it.
 */
const GONE = 1.2;

/** While requests wait in a pause or for a refused lease, the object is asked at least this often, in milliseconds. */
const LOOK_MS = 1_000;

/** The number of callers is known for so long after a reply, in milliseconds. */
const KNOWN_MS = 60_000;

/** The bucket of these tokens. */
interface Bucket {
  readonly time: SteadyTime;
  /** The requests that wait. */
  readonly waiting: {
    readonly queue: { readonly cost: Amount; readonly first: unknown };
    next(nowMs: number): { readonly deadlineMs: number } | undefined;
  };
  /** Serves them: tokens may have come in, or will not come any more. */
  serve(): void;
}

/** A call under way. */
interface SentCall {
  /** The tokens to lease in any case, and by when. */
  readonly least: number;
  readonly byMs: number;
  readonly sentAtMs: number;
  /** When the request that has sent it must have ended. */
  readonly goneAtMs: number;
  /** The tokens to charge. */
  spent: number;
}

/** In place of the end of a pause: every pause ends now. */
const RESUMED = Number.NEGATIVE_INFINITY;

/** No refusal of the object stands. */
const NOT_REFUSED = { least: 0, byMs: 0, untilMs: Number.NEGATIVE_INFINITY };

/**
 * The tokens of all isolates, as one isolate sees them. Timers and calls are made in the request that needs them. No
 * request waits for those of another one: each looks at the queue by itself, and sends for tokens if no call is under way.
 */
export class LeasedTokens implements TokenSource<number | undefined> {
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** When the tokens that were taken last came in; `undefined` if they were not leased. */
  held: number | undefined;
  isBeyond = false;
  /** Without the object. */
  outage: Outage | undefined;
  calls = 0;
  losses = 0;
  /** How many isolates share the bucket; 0 before the first reply. */
  callers = 0;
  readonly pool: LeasePool;
  readonly #setup: DurableSetup;
  readonly #perMs: number;
  #bucket!: Bucket;
  /** Names this isolate; made with the first call. */
  #name: string | undefined;
  #asked: SentCall | undefined;
  /** The calls without a result, which say what was spent. */
  readonly #unanswered = new Set<SentCall>();
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** When the latest call that got a reply was sent. */
  #repliedMs = Number.NEGATIVE_INFINITY;
  #roundTripMs = 0;
  #lastGranted = 0;
  /** The bucket of all by the last reply. */
  #emptyAtMs = Number.NEGATIVE_INFINITY;
  #refusal = NOT_REFUSED;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** The end of a pause that the object does not know yet. */
  #pauseToSay: number | undefined;
  /** Tokens to charge with the next call. */
  #owed = 0;
  /** The tokens spent in about the last `#aheadMs`: a sum whose parts fade. */
  #spentLately = 0;
  #spentAtMs = 0;
  #lastCost = 0;

  constructor(setup: DurableSetup) {
    this.#setup = setup;
    this.capacity = setup.capacity;
    this.refillPerSecond = setup.refillPerSecond;
    this.#perMs = setup.refillPerSecond / 1_000;
    this.pool = new LeasePool(setup);
  }

  /** To be called once, before all others. */
  serves(bucket: Bucket): void {
    this.#bucket = bucket;
  }

  // Tokens.

  take(cost: number, nowMs: number): boolean {
    if (this.pausedMs(nowMs) > 0) return false;
    this.isBeyond = false;
    // While requests wait, the rest is less than the first of them needs.
    const isFirst = this.#bucket.waiting.queue.first === undefined;
    if (isFirst) this.pool.expire(nowMs);
    if (!this.pool.take(cost, nowMs)) return this.#takeWithout(cost, nowMs);
    this.held = this.pool.takenAtMs;
    this.#spentLately = this.#expected(nowMs) + cost;
    this.#spentAtMs = nowMs;
    this.#lastCost = cost;
    if (isFirst) this.#askAhead(nowMs);
    return true;
  }

  #takeWithout(cost: number, nowMs: number): boolean {
    const { outage } = this;
    if (outage === undefined) return false;
    if (nowMs >= outage.retryAtMs) this.#ask(cost, nowMs);
    this.held = undefined;
    this.isBeyond = outage.mode === 'open';
    return outage.take(cost, nowMs);
  }

  /** The expected spending of this isolate within the time of a lease. */
  #expected(nowMs: number): number {
    return this.#spentLately * Math.exp((this.#spentAtMs - nowMs) / this.#aheadMs);
  }

  get #aheadMs(): number {
    return this.#setup.aheadMs + this.#roundTripMs;
  }

  /** Leases in advance if less than half is left of a lease, or of what a busy isolate spends meanwhile. */
  #askAhead(nowMs: number): void {
    if (this.outage) return;
    const { left } = this.pool;
    const waiting = this.#bucket.waiting.queue.cost as number;
    const expected = this.#expected(nowMs);
    const isBusy = waiting > 0 || expected >= 2 * this.#lastCost;
    const needed = waiting > 0 ? Math.min(this.#lastGranted, waiting) : expected;
    if (isBusy && left < needed / 2) this.#ask(0, nowMs);
  }

  settle(surplus: number, takenAtMs: number | undefined, nowMs: number): void {
    const { outage } = this;
    if (surplus > 0 && takenAtMs !== undefined) this.pool.giveBack(surplus, takenAtMs);
    else if (surplus < 0 && outage) outage.spend(-surplus, nowMs);
    else if (surplus < 0) this.#owe(-surplus);
  }

  #owe(tokens: number): void {
    // A debt too large to pay within the longest pause can only be a mistake.
    const most = this.capacity + this.#setup.maxPauseMs * this.#perMs;
    this.#owed = Math.min(most, this.#owed + tokens);
  }

  /** Ends each wait: a request that waits then looks again, and sends for tokens if no call is under way. */
  dueMs(firstCost: number, nowMs: number): number {
    if (firstCost === 0) {
      this.#askAhead(nowMs);
      return Number.POSITIVE_INFINITY;
    }
    const pausedMs = this.pausedMs(nowMs);
    if (pausedMs > 0) {
      if (nowMs >= this.#lookAtMs) this.#ask(0, nowMs);
      return Math.min(nowMs + pausedMs, this.#lookAtMs);
    }
    const { outage } = this;
    const leasedMs = this.pool.waitMs(firstCost, nowMs) ?? Number.POSITIVE_INFINITY;
    const localMs = outage?.mode === 'local' ? outage.waitMs(firstCost, nowMs) : Number.POSITIVE_INFINITY;
    const comesMs = nowMs + Math.min(leasedMs, localMs);
    if (outage) return Math.min(comesMs, this.#asked?.goneAtMs ?? outage.retryAtMs);
    if (comesMs === Number.POSITIVE_INFINITY) this.#ask(firstCost - this.pool.left, nowMs);
    else this.#askAhead(nowMs);
    if (comesMs < Number.POSITIVE_INFINITY) return comesMs;
    return this.#asked?.goneAtMs ?? this.#refusal.untilMs;
  }

  /** When to ask whether a pause still holds. */
  get #lookAtMs(): number {
    return this.#asked?.goneAtMs ?? this.#askedAtMs + LOOK_MS;
  }

  waitMs(cost: number, nowMs: number): number {
    const pausedMs = this.pausedMs(nowMs);
    const { outage } = this;
    if (outage) return Math.max(pausedMs, outage.waitMs(cost, nowMs));
    const comesMs = this.#emptyAtMs + (cost - this.pool.left) / this.#perMs;
    return Math.max(pausedMs, this.pool.waitMs(cost, nowMs) ?? comesMs - nowMs);
  }

  missed(cost: number, nowMs: number): void {
    if (this.outage === undefined && this.waitMs(cost, nowMs) <= 0) this.#ask(cost - this.pool.left, nowMs);
  }

  isTooLate(cost: number, deadlineMs: number, nowMs: number): boolean {
    return this.outage === undefined && this.#isRefused(cost - this.pool.left, deadlineMs, nowMs);
  }

  /** Whether the object has said that so many more tokens come after `byMs`. */
  #isRefused(least: number, byMs: number, nowMs: number): boolean {
    const { untilMs } = this.#refusal;
    return nowMs < untilMs && least >= this.#refusal.least && byMs <= this.#refusal.byMs;
  }

  tokens(nowMs: number): number {
    const { left } = this.pool;
    if (this.outage) return left + this.outage.tokens(nowMs);
    return Math.min(this.capacity, left + (nowMs - this.#emptyAtMs) * this.#perMs);
  }

  isIdle(nowMs: number): boolean {
    const isQuiet = this.#asked === undefined && this.outage === undefined && this.pausedMs(nowMs) === 0;
    return isQuiet && this.#owed === 0 && this.pool.left === 0 && this.tokens(nowMs) >= this.capacity;
  }

  /** The object is lost, no attempt to reach it is under way, and no share is known. */
  get unavailable(): SourceFault | undefined {
    const { outage } = this;
    if (outage?.mode !== 'closed' || this.#asked !== undefined) return undefined;
    const cause = outage.error;
    return { message: `the object of the bucket cannot be reached: ${String(cause)}`, cause };
  }

  // Pauses.

  pausedMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  pause(untilMs: number, nowMs: number): void {
    if (untilMs <= this.#pausedUntilMs) return;
    this.#pausedUntilMs = untilMs;
    this.pool.clear();
    this.#say(untilMs, nowMs);
  }

  resume(nowMs: number): void {
    this.#pausedUntilMs = nowMs;
    this.#say(RESUMED, nowMs);
  }

  #say(untilMs: number, nowMs: number): void {
    this.#pauseToSay = untilMs;
    // A call under way does not say it.
    this.#asked = undefined;
    this.#ask(0, nowMs);
  }

  #pauseMsToSay(nowMs: number): number | undefined {
    const untilMs = this.#pauseToSay;
    if (untilMs === RESUMED) return 0;
    return untilMs !== undefined && untilMs > nowMs ? untilMs - nowMs : undefined;
  }

  // Calls.

  /** Sends for at least as many more tokens, in the request whose turn it is, unless a call is under way. */
  #ask(lacking: number, nowMs: number): void {
    for (const call of this.#unanswered) if (nowMs >= call.goneAtMs) this.#giveUp(call);
    if (this.#asked && nowMs < this.#asked.goneAtMs) return;
    const mayWait = this.#setup.nonConforming === 'delay';
    const deadlineMs = this.#bucket.waiting.next(nowMs)?.deadlineMs ?? Number.POSITIVE_INFINITY;
    const asked: SentCall = {
      least: Math.max(0, lacking),
      byMs: mayWait ? deadlineMs : nowMs,
      sentAtMs: nowMs,
      goneAtMs: nowMs + GONE * this.#setup.timeoutMs,
      spent: 0,
    };
    if (this.#pauseToSay === undefined && lacking > 0 && this.#isRefused(lacking, asked.byMs, nowMs)) return;
    this.#asked = asked;
    this.#unanswered.add(asked);
    this.#askedAtMs = nowMs;
    this.calls += 1;
    this.#setup.waitUntil(this.#call(asked));
  }

  async #call(asked: SentCall): Promise<void> {
    // At the end of the turn, so that one call serves all requests of the turn.
    await undefined;
    const { time } = this.#bucket;
    try {
      const reply = await callObject(this.#setup, time.clock, this.#said(asked));
      this.#receive(asked, reply, time.now());
    } catch (error) {
      this.#lose(asked, error, time.now());
    }
    this.#bucket.serve();
  }

  #said(asked: SentCall): LeaseCall {
    const { least, byMs, sentAtMs } = asked;
    asked.spent = this.#owed;
    this.#owed = 0;
    // Made here, as the global scope of a worker has no random numbers.
    this.#name ??= crypto.randomUUID();
    const pauseMs = this.#pauseMsToSay(sentAtMs);
    return {
      caller: this.#name,
      refillPerSecond: this.refillPerSecond,
      capacity: this.capacity,
      least,
      most: this.pausedMs(sentAtMs) > 0 ? 0 : Math.max(least, this.#wanted(sentAtMs)),
      aheadMs: this.#aheadMs,
      spent: asked.spent,
      ...(byMs < Number.POSITIVE_INFINITY && { withinMs: Math.max(0, byMs - sentAtMs) }),
      ...(pauseMs !== undefined && { pauseMs }),
    };
  }

  /** The lacking tokens of the requests that wait, and of as many others as are expected. */
  #wanted(nowMs: number): number {
    const others = this.#lastCost && Math.floor(this.#expected(nowMs) / this.#lastCost);
    return (this.#bucket.waiting.queue.cost as number) + others * this.#lastCost - this.pool.left;
  }

  #receive(asked: SentCall, reply: LeaseReply, nowMs: number): void {
    const { least, byMs, sentAtMs } = asked;
    this.#unanswered.delete(asked);
    const isLatest = this.#asked === asked;
    if (isLatest) this.#asked = undefined;
    // The shortest counts, and is forgotten slowly: in an isolate that is held up many replies look late.
    const longerMs = nowMs - sentAtMs - this.#roundTripMs;
    this.#roundTripMs += longerMs < 0 || this.#repliedMs < 0 ? longerMs : longerMs / 8;
    this.#repliedMs = Math.max(this.#repliedMs, sentAtMs);
    // The others have had the bucket meanwhile.
    if (this.outage) this.#owe(this.outage.debt);
    this.outage = undefined;
    this.callers = reply.callers;
    this.#emptyAtMs = nowMs + reply.emptyInMs;
    // Another call is under way that says more.
    if (isLatest) this.#hear(reply.pausedMs, nowMs);
    if (reply.granted > 0 && this.pausedMs(nowMs) === 0) {
      this.#lastGranted = reply.granted;
      this.#refusal = NOT_REFUSED;
      this.pool.add(reply.granted, this.#emptyAtMs, nowMs);
    } else if (least > 0 && this.pausedMs(nowMs) === 0) {
      this.#refusal = { least, byMs, untilMs: nowMs + Math.min(LOOK_MS, reply.waitMs) };
    }
  }

  #hear(pausedMs: number, nowMs: number): void {
    this.#pauseToSay = undefined;
    if (pausedMs > 0 && this.pausedMs(nowMs) === 0) this.pool.clear();
    this.#pausedUntilMs = pausedMs > 0 ? nowMs + pausedMs : Math.min(this.#pausedUntilMs, nowMs);
  }

  /** The tokens of a call without a reply may have been charged. To charge them again exceeds no quota. */
  #giveUp(asked: SentCall): void {
    if (this.#unanswered.delete(asked)) this.#owe(asked.spent);
  }

  #lose(asked: SentCall, error: unknown, nowMs: number): void {
    if (this.#asked === asked) this.#asked = undefined;
    this.#giveUp(asked);
    // If a later call got a reply, this failure is over already.
    if (asked.sentAtMs < this.#repliedMs) return;
    if (this.outage) this.outage.failed(error, nowMs);
    else {
      const isKnown = this.callers > 0 && nowMs < this.#repliedMs + KNOWN_MS;
      const share = this.#setup.localShare ?? (isKnown ? 1 / this.callers : 0);
      this.losses += 1;
      this.outage = new Outage(this.#setup, error, share, Math.max(nowMs, this.#emptyAtMs), nowMs);
    }
  }
}
