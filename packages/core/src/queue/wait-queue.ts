import { devText, devTextOf } from '#dev-text';
import { worker } from '#worker';
import { flag, notNegative } from '../base/check.ts';
import { inNextTurn } from '../base/clock.ts';
import { NotSentError, type NotSentReason } from '../base/errors.ts';
import { onAbort } from '../base/signals.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { AcquireOptions } from '../policy/contracts.ts';
import { fifo } from './fifo.ts';
import type { WaitingSetup } from './options.ts';
import { type Amount, type Lane, NUMBERS, type Queue, type QueueEntry, type Sums } from './queue.ts';
import { type SteadyTime, Timer, TOLERANCE_MS } from './time.ts';

/** Requests that are granted, and refused, in one turn of the event loop: a long queue must not block the program. */
const GRANTS = 100;
const REFUSALS = 500;

const CLOSED: string | undefined = /* @__PURE__ */ devText('the bucket was closed');
/** Why a request is refused that would wait, or has waited, for too long. */
export const TOO_LATE: string | undefined = /* @__PURE__ */ devText('its turn does not come in time');

/** A request that waits. */
export interface Waiter<T> extends QueueEntry<Waiter<T>> {
  /** Rejects with a rejected promise: a second function would cost memory for every waiter. */
  readonly resolve: (value: T | Promise<T>) => void;
  /** In milliseconds of the limit; `Infinity` if it has none. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  /** The request itself, if it may have to wait at a gate. */
  readonly request: RequestTraits | undefined;
  /** Where it waits. */
  at: Pick<Queue<Waiter<T>>, 'add' | 'remove'>;
  stopListening: (() => void) | undefined;
}

/**
 * An extra condition for some requests of a limit, such as the end of a pause of their origin. These requests wait in a line of
 * their own.
 */
export interface Gate<T> {
  /** The requests at this gate, in order of arrival; retries go first if the limit has no other order. Made for the first request. */
  line?: Queue<Waiter<T>>;
  /** How long until a request can pass; 0 for now. */
  passMs(cost: Amount, nowMs: number): number;
  /** The rest of a pause. */
  pausedMs(nowMs: number): number;
}

/** The gates of a limit. */
export interface Gates<T> {
  /** The gate of a request; usually there is none. */
  of(request: RequestTraits | undefined, nowMs: number): Gate<T> | undefined;
  /** The gates with waiting requests. A gate that has become empty stays until the next look. */
  readonly crowded: Set<Gate<T>>;
}

/**
 * Serves the request whose turn it is: returns its result, or `undefined` if the request has to wait.
 *
 * @param gate the gate of the request, which the request has to pass as well
 * @param deadlineMs the deadline of a request in the queue
 */
type Grants<T> = (
  cost: Amount,
  waitedMs: number,
  nowMs: number,
  gate?: Gate<T>,
  deadlineMs?: number,
) => T | Promise<T> | undefined;

/** The known times of new tokens, in milliseconds. Without a supply no time is known. */
interface Supply {
  /** The largest cost that can be granted. */
  readonly capacity: Amount;
  /** The least time until tokens for this cost can be had. */
  waitMs(cost: Amount, nowMs: number): number;
  /** When the first request is to be served. Called after each change of the queue. */
  dueMs(firstCost: Amount, nowMs: number): number;
  /** The rest of a pause. */
  pausedMs(nowMs: number): number;
  /** Called when a request is refused whose turn would come in `waitMs`. */
  refusedFor?(waitMs: number, nowMs: number): void;
}

/**
 * Checks the options of a policy that its queue must take.
 *
 * @throws TypeError, RangeError if it does not take their priority, or their keys
 */
export function mustTakeCalls(
  queue: Pick<Queue<never>, 'isFair' | 'laneOf'>,
  { priority, fairKey }: { readonly priority?: number | undefined; readonly fairKey?: unknown },
): void {
  // A key itself is checked when it is known: it may be a function.
  queue.laneOf({ priority, fairKey: queue.isFair ? undefined : (fairKey as undefined) });
}

/** @throws TypeError, RangeError for a wrong option; the reason of a signal that has aborted */
export function checkWait({ maxWaitMs, retry, signal }: AcquireOptions): void {
  if (maxWaitMs !== undefined) notNegative('acquire: maxWaitMs', maxWaitMs);
  if (retry !== undefined) flag('acquire: retry', retry);
  if (signal?.aborted) throw signal.reason;
}

/** The text of a refusal, in development. */
function textOf(reason: NotSentReason | undefined, cost: Amount, capacity: Amount | undefined): string {
  if (reason === 'closed') return `${CLOSED}`;
  if (reason === 'wait-too-long') return `${TOO_LATE}`;
  return `it costs ${cost} tokens, and the capacity is now ${capacity}`;
}

/**
 * The requests that wait at a limit: a queue in some order, with a deadline and a signal for each of them, and one timer for all.
 * The limit serves the first of them.
 */
export class WaitQueue<T> {
  /** How many wait. */
  size = 0;
  /** How many of them wait for a gate. */
  apart = 0;
  /** Requests refused so far, aborted ones not included. */
  refused = 0;
  /** How the limit was closed; `undefined` while it is open. */
  closed: 'drain' | 'reject' | undefined;
  supply: Supply | undefined;
  gates: Gates<T> | undefined;
  readonly queue: Queue<Waiter<T>>;
  readonly #setup: WaitingSetup;
  readonly #time: SteadyTime;
  readonly #grants: Grants<T>;
  readonly #sums: Sums;
  readonly #timer: Timer;
  /** No deadline is before this. In the past if there are other requests to refuse. */
  #nextDeadlineMs = Infinity;
  /** How many were aborted in this turn. */
  #aborts = 0;
  /** How many more may be refused in this turn. */
  #left = 0;
  #isRestDue = false;
  #onEmpty: (() => void)[] | undefined;

  constructor(
    setup: WaitingSetup,
    time: SteadyTime,
    grants: Grants<T>,
    supply?: Supply,
    sums: Sums = NUMBERS,
  ) {
    this.#setup = setup;
    this.#time = time;
    this.#grants = grants;
    this.supply = supply;
    this.#sums = sums;
    this.queue = setup.queue.make(sums);
    this.#timer = new Timer(time, () => this.serve(), true);
  }

  /**
   * True if the limit serves a request. A draining limit serves only a request with an earlier grant, given back because
   * something else was lacking.
   */
  isOpenTo(earlier: object | undefined): boolean {
    return this.closed === undefined || (this.closed === 'drain' && earlier !== undefined);
  }

  /**
   * Serves a request at once if it may go, else puts it into the queue. Rejects with a NotSentError if the limit is closed, the wait is
   * too long, or the queue is full.
   *
   * @throws TypeError, RangeError for a wrong option; the reason of a signal that has aborted
   */
  acquire(options: AcquireOptions, cost: Amount): Promise<T> {
    // First: it may call functions of the user, which may abort the signal.
    const lane = this.queue.laneOf(options);
    checkWait(options);
    if (!this.isOpenTo(options.earlier)) throw this.refusal('closed', CLOSED);
    const nowMs = this.#time.now();
    const gate = this.gates?.of(options.request, nowMs);
    if (!gate?.line?.first && !this.#passing(nowMs) && this.queue.goesFirst(lane, nowMs)) {
      const result = this.#grants(cost, 0, nowMs, gate);
      if (result !== undefined) return Promise.resolve(result);
    }
    const { maxWaitMs = Infinity } = options;
    const patienceMs = Math.min(maxWaitMs, this.#setup.maxWaitMs);
    const passMs = gate?.passMs(this.#sums.plus(gate.line?.cost ?? 0, cost), nowMs) ?? 0;
    this.#mustHaveRoom(lane, cost, nowMs, patienceMs, passMs);
    const waiting = this.#join(options, lane, cost, nowMs, nowMs + patienceMs, passMs > 0 ? gate : undefined);
    const dueMs = this.arm(nowMs);
    return worker
      ? worker.wakingItself(waiting, this.#time.clock, {
          dueMs,
          // The cost ahead of the next request of this lane includes this request.
          turnMs: this.supply?.waitMs(this.queue.costAhead(lane, nowMs, false), nowMs) ?? 0,
          serve: () => this.serve(),
        })
      : waiting;
  }

  #mustHaveRoom(lane: Lane, cost: Amount, nowMs: number, patienceMs: number, passMs: number): void {
    const { supply, queue } = this;
    const isExact = patienceMs < Infinity;
    const waitMs = supply?.waitMs(this.#sums.plus(queue.costAhead(lane, nowMs, isExact), cost), nowMs);
    const isLate = patienceMs === 0 || Math.max(waitMs ?? 0, passMs) > patienceMs + TOLERANCE_MS;
    if (isLate || this.size >= this.#setup.maxQueue) this.#makeRoom(lane, nowMs, patienceMs, isLate, waitMs);
  }

  /** A method of its own: its texts would take memory in each call of the one above. */
  #makeRoom(
    lane: Lane,
    nowMs: number,
    patienceMs: number,
    isLate: boolean,
    waitMs: number | undefined,
  ): void {
    const { supply, queue } = this;
    const late = devTextOf(() => `its turn would not come within ${patienceMs} ms`);
    const full = devTextOf(() => `the queue is full (maxQueue ${this.#setup.maxQueue})`);
    const evicted = isLate ? undefined : queue.evictedBy?.(lane);
    if (evicted === undefined) {
      supply?.refusedFor?.(waitMs ?? 0, nowMs);
      throw isLate ? this.refusal('wait-too-long', late, waitMs) : this.refusal('queue-full', full, waitMs);
    }
    const text = devTextOf(() => `${full}, and another request took its place`);
    this.#fail(evicted, this.refusal('evicted', text));
  }

  #join(
    { signal, request }: AcquireOptions,
    lane: Lane,
    cost: Amount,
    nowMs: number,
    deadlineMs: number,
    gate: Gate<T> | undefined,
  ): Promise<T> {
    this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, deadlineMs);
    const at = gate ? this.#lineOf(gate) : this.queue;
    if (gate) this.apart += 1;
    return new Promise((resolve) => {
      // A small integer needs less memory than a double.
      const sinceMs = Math.round(nowMs);
      // Spread, these would cost each waiter room for more fields.
      const waiter: Waiter<T> = {
        resolve,
        cost,
        sinceMs,
        lane,
        deadlineMs,
        signal,
        request,
        at,
        next: undefined,
        previous: undefined,
        stopListening: undefined,
      };
      at.add(waiter);
      this.size += 1;
      if (signal !== undefined) this.#listen(waiter, signal);
    });
  }

  #lineOf(gate: Gate<T>): Queue<Waiter<T>> {
    gate.line ??= fifo.make(this.#sums);
    (this.gates as Gates<T>).crowded.add(gate);
    return gate.line;
  }

  /** A method of its own: a function over the waiter takes memory in each call of the one around it. */
  #listen(waiter: Waiter<T>, signal: AbortSignal): void {
    waiter.stopListening = onAbort(signal, () => {
      // In workers an abort runs in the request that it ends.
      if (!worker && this.#isLeftForLater()) return;
      this.#fail(waiter, signal.reason);
      this.serve();
    });
  }

  /** True if too many requests have been aborted in this turn, so the next turn goes on: very many requests may share a signal. */
  #isLeftForLater(): boolean {
    if (this.#aborts === 0)
      queueMicrotask(() => {
        this.#aborts = 0;
      });
    this.#aborts += 1;
    if (this.#aborts === REFUSALS + 1) this.sweep();
    return this.#aborts > REFUSALS;
  }

  #end(waiter: Waiter<T>, result: T | Promise<T>): void {
    waiter.at.remove(waiter, !(result instanceof Promise));
    if (waiter.at !== this.queue) {
      this.apart -= 1;
      if (this.apart === 0) (this.gates as Gates<T>).crowded.clear();
    }
    this.size -= 1;
    waiter.stopListening?.();
    waiter.resolve(result);
    if (this.size > 0) return;
    for (const resolve of this.#onEmpty ?? []) resolve();
    this.#onEmpty = undefined;
  }

  #fail(waiter: Waiter<T>, error: unknown): void {
    this.#end(waiter, Promise.reject(error));
  }

  /** Resolves when the queue is empty. It may be for a moment only: an evicted request is replaced at once. */
  async idle(): Promise<void> {
    if (this.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = [...(this.#onEmpty ?? []), resolve];
    });
    await (worker
      ? worker.wakingItself(empty, this.#time.clock, {
          dueMs: this.serve(),
          turnMs: 0,
          serve: () => this.serve(),
        })
      : empty);
  }

  /** The error for a refused request, which is counted. */
  refusal(
    reason: NotSentReason,
    message: string | undefined,
    waitMs?: number,
    cause?: unknown,
  ): NotSentError {
    this.refused += 1;
    return new NotSentError(
      `Not sent: ${message ?? reason}`,
      waitMs,
      cause === undefined ? { reason } : { reason, cause },
    );
  }

  /**
   * Serves the first in the queue, one after the other, until one has to go on waiting. Then refuses those whose deadline is now, or
   * before the end of a pause. Does some in each turn, and sets the timer for the next. Returns what {@link arm} does.
   */
  serve(): number {
    const nowMs = this.#time.now();
    let left = this.closed === 'reject' ? 0 : GRANTS;
    for (; left > 0; left -= 1) {
      const first = this.next(nowMs);
      // If another request was aborted in this turn, the listener of an aborted request comes later. Otherwise it may have no
      // listener any more, and is refused here.
      if (first === undefined || (this.#aborts > 0 && first.signal?.aborted)) break;
      const gate = this.gates?.of(first.request, nowMs);
      const passMs = gate?.passMs(first.cost, nowMs) ?? 0;
      const head = gate?.line?.first;
      const mustPass = passMs > 0 || (head && gate.passMs(head.cost, nowMs) > 0);
      const result = mustPass ? undefined : this.#resultOf(first, nowMs, gate);
      if (result !== undefined) this.#end(first, result);
      else if (gate && mustPass) this.#moveTo(gate, first, nowMs + passMs);
      else break;
    }
    this.#refuse(nowMs);
    return this.arm(nowMs, left === 0);
  }

  /** The gates that requests wait for, with the first of them. */
  waitingApart(): Iterable<[Gate<T>, Waiter<T>]> {
    return this.apart > 0 ? this.#crowded() : [];
  }

  *#crowded(): Generator<[Gate<T>, Waiter<T>], void> {
    const { crowded } = this.gates as Gates<T>;
    for (const gate of crowded) {
      const first = gate.line?.first;
      if (first) yield [gate, first];
      else crowded.delete(gate);
    }
  }

  /** The sum of the costs of all that wait. */
  get cost(): Amount {
    let { cost } = this.queue;
    for (const [{ line }] of this.waitingApart()) cost = this.#sums.plus(cost, line?.cost ?? 0);
    return cost;
  }

  /** The request with the longest wait at a gate that it could pass now, if it goes before the queue. */
  #passing(nowMs: number): Waiter<T> | undefined {
    let passing: Waiter<T> | undefined;
    for (const [gate, first] of this.waitingApart()) {
      const { lane, sinceMs } = first;
      const isFirst = sinceMs < (passing?.sinceMs ?? Infinity) && this.queue.goesFirst(lane, sinceMs);
      if (isFirst && gate.passMs(first.cost, nowMs) === 0) passing = first;
    }
    return passing;
  }

  /** The next to go, of those that wait for no gate. */
  next(nowMs: number): Waiter<T> | undefined {
    return this.#passing(nowMs) ?? this.queue.first;
  }

  /** The gate of a request may have closed while it waited. */
  #moveTo(gate: Gate<T>, one: Waiter<T>, dueMs: number): void {
    if (one.deadlineMs < dueMs) this.#fail(one, this.refusal('wait-too-long', TOO_LATE));
    else {
      one.at.remove(one, false);
      one.at = this.#lineOf(gate);
      one.at.add(one);
      this.apart += 1;
    }
  }

  #resultOf(
    { signal, cost, sinceMs, deadlineMs }: Waiter<T>,
    nowMs: number,
    gate: Gate<T> | undefined,
  ): T | Promise<T> | undefined {
    try {
      if (worker ? worker.aborted(signal) : signal?.aborted) throw signal?.reason;
      if (deadlineMs < nowMs - TOLERANCE_MS) throw this.refusal('wait-too-long', TOO_LATE);
      return this.#grants(cost, Math.max(0, nowMs - sinceMs), nowMs, gate, deadlineMs);
    } catch (error) {
      // The supply may be broken. The request must not hold up those behind it.
      return Promise.reject(error);
    }
  }

  /** Refuses requests whose deadline is now, or within a pause, aborted requests, and requests that can never be served. */
  #refuse(nowMs: number): void {
    const untilMs = nowMs + Math.max(TOLERANCE_MS, this.supply?.pausedMs(nowMs) ?? 0);
    if (this.#nextDeadlineMs > untilMs) return;
    this.#nextDeadlineMs = Infinity;
    this.#left = REFUSALS;
    this.#refuseIn(this.queue, untilMs);
    for (const gate of this.gates?.crowded ?? [])
      if (gate.line) this.#refuseIn(gate.line, Math.max(untilMs, nowMs + gate.pausedMs(nowMs)));
  }

  #refuseIn(queue: Iterable<Waiter<T>>, untilMs: number): void {
    for (const one of queue) {
      const isAborted = !worker && one.signal?.aborted === true;
      const reason = isAborted ? undefined : this.#reasonAgainst(one, untilMs);
      if (!isAborted && reason === undefined) {
        this.#nextDeadlineMs = Math.min(this.#nextDeadlineMs, one.deadlineMs);
      } else if (this.#left === 0) {
        this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
        this.#refuseRestInNextTurn();
        return;
      } else {
        this.#left -= 1;
        const text = devTextOf(() => textOf(reason, one.cost, this.supply?.capacity));
        this.#fail(one, reason === undefined ? one.signal?.reason : this.refusal(reason, text));
      }
    }
  }

  /** The timer does so as well, but not while a virtual clock stands still. In workers a turn belongs to one request. */
  #refuseRestInNextTurn(): void {
    if (worker || this.#isRestDue) return;
    this.#isRestDue = true;
    inNextTurn(() => {
      this.#isRestDue = false;
      this.serve();
    });
  }

  #reasonAgainst({ cost, deadlineMs }: Waiter<T>, untilMs: number): NotSentReason | undefined {
    if (this.closed === 'reject') return 'closed';
    if (deadlineMs <= untilMs) return 'wait-too-long';
    return this.#sums.exceeds(cost, this.supply?.capacity ?? Infinity) ? 'capacity-lowered' : undefined;
  }

  /** Refuses those that wait for a gate, and whose deadline is before it opens. */
  gateClosed(gate: Gate<T>): void {
    if (!gate.line) return;
    const nowMs = this.#time.now();
    this.#left = REFUSALS;
    this.#refuseIn(gate.line, nowMs + gate.pausedMs(nowMs));
    this.arm(nowMs);
  }

  /** Looks for requests that can never be served: the capacity may be lower. */
  sweep(): void {
    this.#nextDeadlineMs = Number.NEGATIVE_INFINITY;
    this.serve();
  }

  /** Closes the limit, and refuses everything in the queue unless it drains. */
  close(how: 'drain' | 'reject'): void {
    this.closed = how;
    this.sweep();
  }

  /**
   * Sets the timer for the first deadline, or for when the first in the queue is to be served; stops it if the queue is empty.
   *
   * Returns the time until then, in milliseconds.
   *
   * @param isCutShort true if more may go now, whatever the supply says
   */
  arm(nowMs: number, isCutShort = false): number {
    let dueMs = this.supply?.dueMs(this.next(nowMs)?.cost ?? 0, nowMs) ?? Infinity;
    for (const [gate, first] of this.waitingApart()) {
      const passMs = gate.passMs(first.cost, nowMs);
      if (passMs > 0) dueMs = Math.min(dueMs, nowMs + passMs);
    }
    const atMs = isCutShort ? nowMs : Math.min(dueMs, this.#nextDeadlineMs);
    // Not earlier than the clock can tell from now. A timer that is set for then already is kept.
    const wakeMs = this.size > 0 ? Math.max(atMs, nowMs + TOLERANCE_MS) : Infinity;
    this.#timer.set(wakeMs, nowMs);
    return wakeMs - nowMs;
  }
}
