import { type Amount, type SteadyTime, Timer, type WaitingQueue } from '@ebb/core/bucket';
import { backlogOf } from './backlog.ts';
import type { Outcome } from './bucket-store.ts';
import { emitStoreEvent, type WithoutOrigin } from './events.ts';
import type { IdleState } from './known-state.ts';
import { Lease } from './lease.ts';
import { changedLimits, type LimitChanges } from './limit-changes.ts';
import type { FleetSetup } from './options.ts';
import type { Answer, Turn } from './step.ts';
import type { StoreCall } from './store-call.ts';
import { StoreCounts } from './store-counts.ts';
import { StoreLink } from './store-link.ts';

/** A timer for less may wake before the time that it was set for. In milliseconds. */
const SHORTEST_MS = 1e-3;

/** An event with its message. */
function withMessage(turn: Turn): WithoutOrigin {
  if (turn.type !== 'step') return turn;
  const way = turn.byMs < 0 ? 'back' : 'ahead';
  return { ...turn, message: `store clock stepped ${way} by ${(Math.abs(turn.byMs) / 1_000).toFixed(2)} s` };
}

/** Does what each step of a lease says: makes the calls, sets the timers, tells the observer and the queue. */
export class FleetDriver {
  readonly lease: Lease;
  readonly counts: StoreCounts = new StoreCounts();
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #queue: WaitingQueue<Amount>;
  readonly #onChange: () => void;
  readonly #onLimits: () => void;
  readonly #link: StoreLink;
  readonly #timer: Timer;
  readonly #inFlight = new Set<Promise<unknown>>();
  #isSoon = false;
  /** When the store is looked at in the background, and what stops that. */
  #lookAtMs = Number.POSITIVE_INFINITY;
  #stopLook: (() => void) | undefined;

  /**
   * @param onChange called when tokens may have come in, or will not come any more
   * @param onLimits called when other limits hold
   */
  constructor(
    setup: FleetSetup,
    time: SteadyTime,
    queue: WaitingQueue<Amount>,
    onChange: () => void,
    onLimits: () => void,
  ) {
    this.#setup = setup;
    this.#onLimits = onLimits;
    this.#time = time;
    this.#queue = queue;
    this.#onChange = onChange;
    const lease = new Lease(setup, time.now());
    this.lease = lease;
    // Calls for other keys have shown that there is a store.
    const wasReached = (setup.shared?.processes() ?? 0) > 0;
    this.#link = new StoreLink(setup, time, {
      isNew: () => !wasReached && lease.view.processes === 0 && lease.outage === undefined && !lease.isClosed,
      deadlineMs: () => queue.queue.first?.deadlineMs ?? Number.POSITIVE_INFINITY,
      isSlow: () => lease.isSlow(time.now()),
    });
    this.#timer = new Timer(time, () => this.#step());
    const nowMs = time.now();
    if (setup.rested !== undefined) lease.wake(this.#link.store.wake(setup.rested, nowMs), nowMs);
    const error = setup.shared?.error();
    if (error !== undefined) lease.beginAway(error, nowMs);
  }

  /** Stops watching the client. */
  release(): void {
    this.#link.release();
  }

  /** Returns the state to keep of the bucket; `undefined` while tokens are leased, or a call is due or under way. */
  rest(): IdleState | undefined {
    const { lease } = this;
    const isBusy = this.#isSoon || this.#inFlight.size > 0 || lease.isBusy || lease.pause.busy;
    return isBusy || !lease.isEmpty ? undefined : this.#link.store.rest();
  }

  /** Steps at the end of this turn, so that one call serves all requests of the turn. */
  soon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    queueMicrotask(() => {
      this.#isSoon = false;
      this.#step();
    });
  }

  #step(answer?: Answer): void {
    const nowMs = this.#time.now();
    const { granted, calls, wakeAtMs, lookAtMs, turns, isLimited } = this.lease.step(
      nowMs,
      backlogOf(this.#queue, this.#setup.limits.length),
      answer,
    );
    for (const call of calls) {
      const sending: Promise<unknown> = this.#send(call, nowMs).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
    this.#timer.set(wakeAtMs, nowMs);
    this.#lookAt(lookAtMs, nowMs);
    for (const turn of turns) {
      this.counts.count(turn);
      emitStoreEvent(this.#setup, this.#time.clock, withMessage(turn));
    }
    if (isLimited) this.#onLimits();
    if (granted) this.#onChange();
  }

  async #send(call: StoreCall, sentAtMs: number): Promise<Outcome> {
    const { late, ...outcome } = await this.#link.call(call, sentAtMs);
    this.counts.callMs += this.#time.now() - sentAtMs;
    if (late === undefined) {
      this.#step({ call, sentAtMs, ...outcome });
      return outcome;
    }
    this.#step({ call, sentAtMs, ...outcome, state: 'given up' });
    void late.then((reply) => this.#step({ call, sentAtMs, reply, state: 'late' }));
    return outcome;
  }

  /**
   * Changes the limits of all processes. Resolves when the store has them, and this process uses them.
   *
   * @throws Error if the bucket was closed, the store is away, or another process has set others meanwhile
   */
  async setLimits(changes: LimitChanges): Promise<void> {
    if (this.lease.isClosed) throw new Error('setLimits: the bucket was closed');
    const before = await this.#look();
    if (before.reply === undefined) throw before.error;
    const limits = changedLimits(this.#setup, changes);
    const { type } = await this.#link.setLimits([...changes.keys()], limits);
    if (type !== 'done') throw new Error('setLimits: another process has changed the limits meanwhile');
    await this.#look();
  }

  /** Reads the bucket, and with it the limits that hold. */
  #look(): Promise<Outcome> {
    this.lease.calls += 1;
    return this.#send({ mode: 'peek' }, this.#time.now());
  }

  /** A bucket that was evicted is not kept by this timer, nor is the process. */
  #lookAt(atMs: number, nowMs: number): void {
    if (atMs === this.#lookAtMs) return;
    this.#lookAtMs = atMs;
    this.#stopLook?.();
    this.#stopLook = undefined;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const self = new WeakRef(this);
    this.#stopLook = this.#time.clock.schedule(
      () => self.deref()?.look(),
      Math.max(SHORTEST_MS, atMs - nowMs),
      true,
    );
  }

  private look(): void {
    this.#lookAtMs = Number.POSITIVE_INFINITY;
    this.#step();
  }

  /** Gives everything back. Never rejects, and ends within the store's time limit. */
  async close(): Promise<void> {
    if (!this.lease.isClosed) {
      this.lease.isClosed = true;
      this.#link.release();
    }
    this.#step();
    while (this.lease.isSettling && this.#inFlight.size > 0) await Promise.race(this.#inFlight);
  }
}
