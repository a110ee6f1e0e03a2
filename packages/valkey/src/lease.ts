import type { Backlog } from './backlog.ts';
import type { Reply } from './known-state.ts';
import { leaseCall } from './lease-call.ts';
import { LeaseState, NOT_REFUSED } from './lease-state.ts';
import { Outage } from './outage.ts';
import { CALM_MS, Recovery } from './recovery.ts';
import type { Answer, Step } from './step.ts';
import type { StoreCall, TokenLeaseCall } from './store-call.ts';
import { addLease, leasedMs, leasedOf, markOf } from './unit-lease.ts';

/** A store that lost the bucket repeatedly must keep it so long before the bucket is shared again, in milliseconds. */
const PROBATION_MS = 1_000;

/** How long a lease that is under way may take before its request looks at the bucket, in milliseconds. */
const FRESH_MS = 1_000;

/**
 * The messages of one process to its fleet's store: leases and refunds, pauses, and the presence of the process. This class makes no call
 * and sets no timer: each {@link step} says what to do.
 */
export class Lease extends LeaseState {
  /** When the latest call that got a reply was sent. */
  #answeredCallMs = Number.NEGATIVE_INFINITY;
  /** The attempts to reach the store, and the outage that each is to end. */
  readonly #attempts = new WeakMap<StoreCall, Outage>();
  /** How the outage ends, and when the last one did. */
  #recovery = new Recovery(undefined, 0);
  #backAtMs = Number.NEGATIVE_INFINITY;
  #isTold = false;

  /**
   * True shortly after an outage, when a slightly late reply must not lose the store again: if the round trip varies
   * around `timeoutMs`, calls would begin and end outages in turn.
   */
  isSlow(nowMs: number): boolean {
    return !this.isClosed && nowMs - this.#backAtMs < CALM_MS;
  }

  /** Takes in what has happened, and says what to do. */
  step(nowMs: number, backlog: Backlog, answer?: Answer): Step {
    if (answer !== undefined) this.#receive(answer, backlog, nowMs);
    if (this.isClosed) this.giveAllBack(nowMs);
    else this.tidy(backlog, nowMs);
    if (this.outage !== undefined && !this.isClosed) this.#checkOutage(this.outage, backlog.count > 0, nowMs);
    this.#ask(backlog, nowMs);
    const said = { granted: this.mayServe, calls: this.due, turns: this.turns, isLimited: this.isLimited };
    this.mayServe = false;
    this.isLimited = false;
    this.due = [];
    this.turns = [];
    const never = Number.POSITIVE_INFINITY;
    if (this.isClosed) return { ...said, wakeAtMs: never, lookAtMs: never };
    const isAlone = this.setup.shared === undefined;
    const mayLook = isAlone && this.outage === undefined && this.asked === undefined;
    const lookAtMs = mayLook ? this.membership.lookAtMs : never;
    return { ...said, wakeAtMs: this.#nextMs(backlog, nowMs), lookAtMs };
  }

  #receive(answer: Answer, backlog: Backlog, nowMs: number): void {
    const { call, sentAtMs, reply, state } = answer;
    if (state !== 'given up') {
      this.unanswered.ended(call, reply !== undefined);
      this.membership.answered(call, reply, nowMs);
    }
    const outage = this.#attempts.get(call);
    const isAttempt = outage !== undefined && outage === this.outage;
    if (isAttempt) this.#recovery.answered(answer, outage.local, nowMs);
    if (state === 'late') {
      if (reply !== undefined) this.#receiveLate(reply, nowMs);
      return;
    }
    if (outage !== undefined) {
      if (isAttempt) this.#receiveOutside(outage, answer, nowMs);
      return;
    }
    if (reply !== undefined) this.#answeredCallMs = Math.max(this.#answeredCallMs, sentAtMs);
    const lost = reply === undefined ? answer.error : this.observe(reply, nowMs);
    // If a later call got a reply, this failure is over already.
    if (lost !== undefined && sentAtMs >= this.#answeredCallMs) this.#lose(lost, answer, nowMs);
    const kept = lost === undefined ? reply : undefined;
    if (call.mode === 'lease' || call.mode === 'refund' || call.mode === 'spend')
      this.refunds.answered(call, kept?.tooLate === false || this.isClosed);
    if (call.mode === 'lease') this.#receiveLease(call, kept, sentAtMs, backlog, nowMs);
    else if (call.mode === 'pause' || call.mode === 'unpause')
      this.pause.answered(call, kept, !this.isClosed);
  }

  /** @param reply `undefined` if there is none that counts */
  #receiveLease(
    call: TokenLeaseCall,
    reply: Reply | undefined,
    sentAtMs: number,
    backlog: Backlog,
    nowMs: number,
  ): void {
    this.asked = undefined;
    this.mayServe = true;
    if (reply === undefined) return;
    for (const [unit, { pool, size }] of this.units.entries()) {
      const isDry = pool.left < (backlog.firstCost[unit] as number);
      size.answered(nowMs - sentAtMs, leasedOf(reply, unit), isDry);
    }
    if (reply.granted.some((amount) => amount > 0)) {
      this.refusal = NOT_REFUSED;
      addLease(this.units, this.setup, reply, backlog.count > 0, nowMs);
    } else if (!reply.tooLate) {
      for (const { size } of this.units) size.refused();
      const [byMs, untilMs] = [sentAtMs + call.withinMs, nowMs + reply.waitMs];
      this.refusal = { amounts: call.minAmounts, byMs, untilMs };
    }
    // The tokens came after the bucket was closed, or are from before a pause.
    if (!this.isOpen(nowMs)) this.giveAllBack(nowMs);
  }

  /** The call had been given up, but its reply says how many share the bucket. */
  #receiveLate(reply: Reply, nowMs: number): void {
    this.outage?.retryNow();
    this.#learnShare(nowMs, true);
    const mark = markOf(reply);
    for (const [unit, amount] of reply.granted.entries()) this.refunds.add(unit, amount, mark, nowMs);
    this.mayServe = true;
  }

  #learnShare(nowMs: number, isTold: boolean): void {
    const { outage } = this;
    if (!outage?.learn(this.shareAt(nowMs), nowMs) || !isTold) return;
    const { error, mode, share } = outage;
    this.turns.push({ type: 'lost', error, mode, share });
  }

  #lose(error: unknown, { call, sentAtMs, state }: Answer, nowMs: number): void {
    if (this.outage !== undefined) return;
    if (this.isClosed) {
      // No outage begins after the end, but what could not be given back or charged is told, once.
      if (!this.#isTold && call.mode !== 'peek')
        this.turns.push({ type: 'lost', error, mode: this.setup.onStoreError, share: 0 });
      this.#isTold ||= call.mode !== 'peek';
      return;
    }
    // Other processes have leased as far ahead again since the last reply.
    const emptyAtMs = this.view.leasedAheadMs.map((ms) => nowMs + ms);
    this.outage = new Outage(this.setup, error, this.shareAt(sentAtMs), sentAtMs, emptyAtMs, nowMs);
    this.membership.lost(sentAtMs);
    const { mode, share } = this.outage;
    // In the other modes requests get all or nothing meanwhile, so the store counts as back with its first reply.
    const wasSilent = mode === 'local' && state === 'given up';
    this.#recovery = new Recovery(wasSilent ? this.setup.timeoutMs : undefined, nowMs - this.#backAtMs);
    this.turns.push({ type: 'lost', error, mode, share });
    this.mayServe = true;
  }

  /** An attempt to reach the store again has ended. */
  #receiveOutside(outage: Outage, { call, sentAtMs, reply }: Answer, nowMs: number): void {
    this.mayServe = true;
    this.#learnShare(nowMs, reply?.tooLate === true);
    if (reply === undefined || reply.tooLate) return;
    this.#answeredCallMs = Math.max(this.#answeredCallMs, sentAtMs);
    if (this.observe(reply, nowMs) !== undefined) return;
    if (call.mode !== 'resume') {
      if (this.#recovery.isBack) this.#endOutage(outage, nowMs);
      return;
    }
    // Below 0: for how long the others have shared the bucket already, since the outage began.
    const resumeInMs = Math.max((reply.resumedUs - reply.atUs) / 1_000, -call.outageMs);
    outage.sharedAtMs = nowMs + Math.max(0, resumeInMs, outage.isForgetful ? PROBATION_MS : 0);
    if (resumeInMs > 0) return;
    for (const [unit, debt] of outage.debt(resumeInMs).entries()) this.refunds.owe(unit, debt);
  }

  #checkOutage(outage: Outage, isWaiting: boolean, nowMs: number): void {
    const unanswered = this.unanswered.count(nowMs);
    // No request needs the store: it is not called.
    if (nowMs < outage.nextCheckMs(unanswered, isWaiting)) return;
    const isShared = nowMs >= outage.sharedAtMs;
    if (!isShared && nowMs < outage.nextRetryMs(unanswered)) return;
    const { isBack, isCharging } = this.#recovery;
    // The store has to have kept the bucket, which a look shows.
    if (isShared && outage.isForgetful) this.#callOutside(outage, { mode: 'peek' }, nowMs);
    else if (isShared && isBack) this.#endOutage(outage, nowMs);
    else if (isShared || isCharging) {
      this.#callOutside(outage, { mode: 'spend', amounts: this.#recovery.charge(outage.local) }, nowMs);
    } else {
      const outageMs = nowMs - outage.sinceMs;
      this.#callOutside(outage, { mode: 'resume', outageMs, handoverMs: outage.handoverMs(nowMs) }, nowMs);
    }
  }

  #callOutside(outage: Outage, call: StoreCall, nowMs: number): void {
    outage.sharedAtMs = Number.POSITIVE_INFINITY;
    outage.scheduleRetry(nowMs);
    this.#attempts.set(call, outage);
    this.#call(call, nowMs);
  }

  #endOutage(outage: Outage, nowMs: number): void {
    this.outage = undefined;
    // Replies from before the outage say nothing about the store as it is now.
    for (const { size } of this.units) size.forget();
    this.refusal = NOT_REFUSED;
    this.#backAtMs = nowMs;
    this.turns.push({ type: 'back', outageMs: nowMs - outage.sinceMs });
    this.mayServe = true;
  }

  #call(call: StoreCall, nowMs: number): void {
    const isAway = this.outage !== undefined;
    if (this.setup.shared !== undefined) call.who = undefined;
    else
      call.who = this.isClosed
        ? this.membership.leave(call)
        : this.membership.next(call, nowMs, this.setup.timeoutMs, isAway);
    this.due.push(call);
    this.calls += 1;
    this.calledAtMs = nowMs;
    this.unanswered.sent(call, nowMs);
  }

  /** Makes the calls that are due while the store is there. */
  #ask(backlog: Backlog, nowMs: number): void {
    const { processes } = this.view;
    if (this.outage === undefined || this.isClosed) {
      const isReached = processes > 0;
      const pause =
        isReached || this.unanswered.count(nowMs) === 0 ? this.pause.next(isReached, nowMs) : undefined;
      const lease = this.#nextLease(backlog, nowMs);
      const refunds = this.refunds.next(this.isClosed ? Number.POSITIVE_INFINITY : nowMs);
      const calls = [pause, ...refunds, lease].filter((call) => call !== undefined);
      for (const call of calls) this.#call(call, nowMs);
      if (lease !== undefined) this.#used(nowMs);
      // Requests that may be served now are not asked for.
      const mustLook =
        this.mustLook || this.membership.isDue(nowMs) || (!this.mayServe && this.isStale(backlog, nowMs));
      const mayLook = this.isClosed ? this.membership.isKnown && calls.length === 0 : mustLook;
      if (mayLook && this.asked === undefined) this.#call({ mode: 'peek' }, nowMs);
    }
    this.mustLook = false;
  }

  #used(nowMs: number): void {
    const { shared } = this.setup;
    if (shared === undefined) this.membership.used(nowMs);
    else shared.used();
  }

  /** The store is away, as calls for other keys have shown. */
  beginAway(error: unknown, nowMs: number): void {
    const emptyAtMs = this.view.emptyAtMs.map((ms) => Math.max(ms, nowMs));
    this.outage = new Outage(this.setup, error, this.shareAt(nowMs), nowMs, emptyAtMs, nowMs);
  }

  /** Counts this process for a request of another bucket. */
  join(nowMs: number): void {
    this.membership.used(nowMs);
    this.membership.countNext();
    this.outage?.used(nowMs);
    this.mustLook = true;
  }

  /** Whether a request of another bucket should count this process: see {@link join}. */
  mustJoin(nowMs: number): boolean {
    return this.outage !== undefined || this.membership.isWaiting(nowMs);
  }

  #nextLease(backlog: Backlog, nowMs: number): TokenLeaseCall | undefined {
    if (this.asked !== undefined) return undefined;
    const { missedCost, isLow } = this;
    const isWaiting = backlog.count > 0;
    this.missedCost = undefined;
    this.isLow = false;
    const isLacking = isWaiting && leasedMs(this.units, backlog.firstCost, nowMs) === undefined;
    if (!(isLacking || isLow || missedCost !== undefined) || !this.isOpen(nowMs)) return undefined;
    const missed =
      missedCost === undefined || isWaiting ? {} : { firstCost: missedCost, totalCost: missedCost };
    const call = leaseCall(
      this.units,
      this.setup,
      { ...backlog, ...missed },
      this.view.processes <= 1,
      nowMs,
    );
    if (call === undefined || this.isTooLate(call.minAmounts, nowMs + call.withinMs, nowMs)) return undefined;
    this.asked = { ...call, ...this.refunds.along() };
    return this.asked;
  }

  #nextMs(backlog: Backlog, nowMs: number): number {
    const { outage, asked, refusal } = this;
    const isWaiting = backlog.count > 0;
    const expiryMs = Math.min(...this.units.map(({ pool }) => pool.nextExpiryMs));
    const endMs = isWaiting && asked !== undefined ? Number.POSITIVE_INFINITY : expiryMs;
    if (outage !== undefined)
      return Math.min(endMs, outage.nextCheckMs(this.unanswered.count(nowMs), isWaiting));
    const nextMs = Math.min(endMs, this.refunds.dueMs);
    if (!isWaiting) return nextMs;
    // The pending lease may become unnecessary.
    const staleMs = asked !== undefined ? nowMs + FRESH_MS : this.staleAtMs(backlog, nowMs);
    return Math.min(nextMs, staleMs, refusal.untilMs > nowMs ? refusal.untilMs : Number.POSITIVE_INFINITY);
  }
}
