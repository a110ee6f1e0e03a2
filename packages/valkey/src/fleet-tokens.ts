import {
  type Amount,
  type Quota,
  type SourceFault,
  type SteadyTime,
  Timer,
  type TokenSource,
  type WaitingQueue,
} from '@ebb/core/bucket';
import { BucketStore, type StoreOutcome } from './bucket-store.ts';
import { emitStoreEvent, type WithoutOrigin } from './events.ts';
import {
  type Answer,
  type Backlog,
  type Commands,
  dueAtMs,
  isBusy,
  isOpen,
  isSettling,
  isShort,
  isTooLate,
  type LeaseEvent,
  type LeaseState,
  lease,
  leftOf,
  mustJoin,
  newLease,
  type OpenCall,
  restOf,
  shareAt,
  type Turn,
  take,
  tokensOf,
  type Unit,
  unitWaitMs,
} from './lease.ts';
import { changedLimits, type LimitChanges } from './limit-changes.ts';
import type { FleetSetup, IdleState } from './options.ts';
import type { Amounts, LeaseMark } from './store-call.ts';
import { StoreCounts } from './store-counts.ts';
import { messageOf } from './store-error.ts';

/** A pause must fit into the times that the store can tell exactly: three years. */
const LONGEST_PAUSE_MS = 1e11;

/** A timer for less may wake before the time that it was set for. In milliseconds. */
const SHORTEST_MS = 1e-3;

/** The leases that the tokens of each unit are from; `undefined` if they were not leased. */
type LeasesHeld = readonly (LeaseMark | undefined)[];

const NOT_LEASED: LeasesHeld = [];

/** Millionths of a token of each unit, rounded up. */
const micros = (cost: Amount): Amounts =>
  typeof cost === 'number' ? [Math.ceil(cost * 1e6)] : cost.map((part) => Math.ceil(part * 1e6));

/** The requests that wait, of so many units. */
function backlogOf({ size, queue }: WaitingQueue<Amount>, units: number): Backlog {
  const { first } = queue;
  if (first === undefined) {
    const none = new Array<number>(units).fill(0);
    return {
      count: 0,
      firstCost: none,
      firstDeadlineMs: Number.POSITIVE_INFINITY,
      totalCost: none,
      costs: [],
    };
  }
  const { cost, shares } = queue;
  const firstCost = micros(first.cost);
  return {
    ...{ count: size, firstCost, firstDeadlineMs: first.deadlineMs, shares },
    // A sum of fractions may be a little less than its only part.
    totalCost: micros(cost).map((amount, unit) => Math.max(firstCost[unit] as number, amount)),
    costs: {
      *[Symbol.iterator]() {
        for (const { cost } of queue) yield micros(cost);
      },
    },
  };
}

/** Eight letters and digits, so that an operator can type it. Two processes with one name would share one share. */
const newName = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(8)), (number) => (number % 36).toString(36)).join('');

/** An event with its message. */
function withMessage(turn: Turn): WithoutOrigin {
  if (turn.type !== 'step') return turn;
  const way = turn.byMs < 0 ? 'back' : 'ahead';
  return { ...turn, message: `store clock stepped ${way} by ${(Math.abs(turn.byMs) / 1_000).toFixed(2)} s` };
}

/**
 * The tokens of the fleet for one process: leased tokens, tokens to lease, and the process's share while the store
 * cannot be reached. Does what its lease says: makes the calls, sets the timers, tells the observer and the queue. Public amounts are
 * tokens, and private amounts millionths of a token: a number for each unit, or a single number.
 */
export class FleetTokens implements TokenSource<LeasesHeld, Amount> {
  /** The leases of the tokens that were taken last. */
  held: LeasesHeld = NOT_LEASED;
  /** The unit that the last {@link take} lacked. */
  lacking: string | undefined;
  readonly counts: StoreCounts = new StoreCounts();
  /** How this process stands. */
  state: LeaseState;
  capacity: Amount;
  refillPerSecond: Amount;
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #queue: WaitingQueue<Amount>;
  readonly #onChange: () => void;
  readonly #onLimits: () => void;
  readonly #store: BucketStore;
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
    this.#time = time;
    this.#queue = queue;
    this.#onChange = onChange;
    this.#onLimits = onLimits;
    this.#timer = new Timer(time, () => this.#step());
    this.state = newLease(setup, newName(), time.now());
    const { limits, shared, rested } = setup;
    if (rested !== undefined) this.#tell({ type: 'wake', rested, startMs: time.startMs, fleet: this.#fleet });
    // A bucket that rested knows which limits hold, and its first request needs them.
    limits.splice(0, limits.length, ...this.state.known.limits);
    this.capacity = this.#amount(({ capacity }) => capacity);
    this.refillPerSecond = this.#amount((limit) => limit.refillPerSecond);
    this.#store = new BucketStore(
      setup,
      time,
      this,
      () => queue.queue.first?.deadlineMs ?? Number.POSITIVE_INFINITY,
    );
    const error = shared?.error();
    if (error !== undefined) this.#tell({ type: 'away', error, fleet: this.#fleet });
  }

  // Events and commands.

  #tell(event: LeaseEvent, nowMs: number = this.#time.now()): Commands {
    const [state, commands] = lease(this.state, event, nowMs);
    this.state = state;
    return commands;
  }

  get #fleet() {
    const { shared } = this.#setup;
    return shared && { share: shared.share(), processes: shared.processes() };
  }

  /** Tells the lease, and steps at the end of this turn, so that one call serves all requests of the turn. */
  tell(event: LeaseEvent, nowMs?: number): void {
    this.#tell(event, nowMs);
    this.#soon();
  }

  /** A request of another key needs the store, and counts this process. */
  used(nowMs: number): void {
    if (mustJoin(this.state, nowMs)) this.tell({ type: 'join' }, nowMs);
    else this.#tell({ type: 'used' }, nowMs);
  }

  #soon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    queueMicrotask(() => {
      this.#isSoon = false;
      this.#step();
    });
  }

  #step(answer?: Answer, nowMs: number = this.#time.now()): void {
    const backlog = backlogOf(this.#queue, this.#setup.limits.length);
    const { serve, calls, wakeAtMs, lookAtMs, turns, isLimited } = this.#tell(
      { type: 'step', backlog, answer, fleet: this.#fleet },
      nowMs,
    );
    for (const call of calls) void this.#send(call);
    this.#timer.set(wakeAtMs, nowMs);
    this.#lookAt(lookAtMs, nowMs);
    for (const turn of turns) {
      this.counts.count(turn);
      emitStoreEvent(this.#setup, this.#time.clock, withMessage(turn));
    }
    if (isLimited) {
      const { limits } = this.#setup;
      limits.splice(0, limits.length, ...this.state.known.limits);
      this.capacity = this.#amount(({ capacity }) => capacity);
      this.refillPerSecond = this.#amount(({ refillPerSecond }) => refillPerSecond);
      this.#onLimits();
    }
    if (serve) this.#onChange();
  }

  #send(to: OpenCall): Promise<StoreOutcome> {
    if (to.call.mode === 'lease') this.#setup.shared?.used();
    const sending = this.#outcomeOf(to).finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
    return sending;
  }

  async #outcomeOf(to: OpenCall): Promise<StoreOutcome> {
    const outcome = await this.#store.call(to.call, to.sentAtMs);
    const { late, reply, error } = outcome;
    const { sentAtMs } = to;
    const nowMs = this.#time.now();
    this.counts.callMs += nowMs - sentAtMs;
    this.#step({ to, sentAtMs, ...reply, error, state: late && 'given up' }, nowMs);
    void late?.then((replied) => this.#step({ to, sentAtMs, ...replied, state: 'late' }));
    return outcome;
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

  /**
   * Changes the limits of all processes. Resolves when the store has them, and this process uses them.
   *
   * @throws Error if the bucket was closed, the store is away, or another process has set others meanwhile
   */
  async setLimits(changes: LimitChanges): Promise<void> {
    if (this.state.isClosed) throw new Error('setLimits: the bucket was closed');
    const before = await this.#peek();
    if (before.reply === undefined) throw before.error;
    const limits = changedLimits(this.#setup, changes);
    const { type } = await this.#store.setLimits([...changes.keys()], limits);
    if (type !== 'done') throw new Error('setLimits: another process has changed the limits meanwhile');
    await this.#peek();
  }

  #peek(): Promise<StoreOutcome> {
    return this.#send(this.#tell({ type: 'peek' }).calls[0] as OpenCall);
  }

  /** Stops watching the client. */
  release(): void {
    this.#store.release();
  }

  /** Returns the state to keep of the bucket; `undefined` while tokens are leased, or a call is due or under way. */
  rest(): IdleState | undefined {
    const isNeeded = this.#isSoon || this.#inFlight.size > 0 || isBusy(this.state) || !this.#isEmpty;
    return isNeeded ? undefined : restOf(this.state, this.#time.startMs);
  }

  /** Gives everything back. Never rejects, and ends within the store's time limit. */
  async close(): Promise<void> {
    if (!this.state.isClosed) {
      this.#tell({ type: 'close' });
      this.#store.release();
    }
    this.#step();
    while (isSettling(this.state) && this.#inFlight.size > 0) await Promise.race(this.#inFlight);
  }

  // The tokens.

  /** The part of the quota that this process has without the store. */
  share(nowMs: number): number {
    return this.state.outage?.share ?? this.#setup.localShare ?? shareAt(this.state, nowMs);
  }

  get mode(): 'shared' | 'local' | 'open' | 'closed' {
    return this.state.outage?.mode ?? 'shared';
  }

  /** How many processes share the bucket; 0 until the store has said so. */
  get processes(): number {
    return this.state.processes;
  }

  /** A number for each unit; one for a bucket of one unit. */
  #amount(of: (limit: Quota, unit: number) => number): Amount {
    const { limits, names } = this.#setup;
    return names === undefined ? of(limits[0] as Quota, 0) : limits.map(of);
  }

  /** Tokens that are leased and not spent. */
  get leased(): Amount {
    return this.#amount((_, unit) => leftOf(this.state.units[unit] as Unit) / 1e6);
  }

  get #isEmpty(): boolean {
    return this.state.units.every((unit) => leftOf(unit) === 0);
  }

  /** In mode `'open'` everything is granted while the store cannot be reached. */
  get isBeyond(): boolean {
    return this.held === NOT_LEASED && this.mode === 'open';
  }

  get unavailable(): SourceFault | undefined {
    const { isClosed, outage } = this.state;
    if (isClosed) return { message: 'the bucket was closed' };
    if (outage?.mode !== 'closed') return undefined;
    const cause = outage.error;
    const why =
      this.#setup.onStoreError === 'closed'
        ? 'the store cannot be reached'
        : 'the store was never reached, so the share of this process is not known';
    return { message: `${why}: ${messageOf(cause)}`, cause };
  }

  pausedMs(nowMs: number): number {
    return Math.max(0, this.state.pausedAtMs - nowMs);
  }

  tokens(nowMs: number): Amount {
    return this.#amount((_, unit) => tokensOf(this.state, unit, nowMs) / 1e6);
  }

  isIdle(nowMs: number): boolean {
    const isFull = ({ capacity }: Quota, unit: number): boolean =>
      tokensOf(this.state, unit, nowMs) >= Math.ceil(capacity * 1e6);
    return !isBusy(this.state) && this.#isEmpty && this.#setup.limits.every(isFull);
  }

  take(cost: Amount, nowMs: number): boolean {
    const amounts = micros(cost);
    const { state } = this;
    const from = take(state, amounts, nowMs);
    if (from === 'store') {
      if (isShort(state)) this.#soon();
      this.#note(state.units);
      return true;
    }
    if (!isOpen(state, nowMs)) return false;
    const { names } = this.#setup;
    if (names !== undefined) {
      const waits = amounts.map((amount, unit) => unitWaitMs(state, unit, amount, nowMs));
      this.lacking = names[waits.indexOf(Math.max(...waits))];
    }
    if (state.outage === undefined) return false;
    this.held = NOT_LEASED;
    this.#soon();
    return from !== undefined;
  }

  /** Notes what the tokens were leased under: most often the same as those before. */
  #note(units: readonly Unit[]): void {
    const { held } = this;
    if (held.length === units.length && units.every(({ mark }, unit) => mark === held[unit])) return;
    this.held = units.map(({ mark }) => mark);
  }

  missed(cost: Amount, nowMs: number): void {
    const pausedMs = this.pausedMs(nowMs);
    if (pausedMs > 0) this.tell({ type: 'look', waitMs: pausedMs }, nowMs);
    else this.tell({ type: 'missed', amounts: micros(cost) }, nowMs);
  }

  refusedFor(waitMs: number, nowMs: number): void {
    this.tell({ type: 'look', waitMs }, nowMs);
  }

  isTooLate(cost: Amount, deadlineMs: number, nowMs: number): boolean {
    const { outage, units } = this.state;
    const lacking = micros(cost).map((amount, unit) => amount - leftOf(units[unit] as Unit));
    return outage === undefined && isTooLate(this.state, lacking, deadlineMs, nowMs);
  }

  waitMs(cost: Amount, nowMs: number): number {
    const pausedMs = this.pausedMs(nowMs);
    const { outage } = this.state;
    if (outage !== undefined && outage.mode !== 'local') return pausedMs;
    return Math.max(
      pausedMs,
      ...micros(cost).map((amount, unit) => unitWaitMs(this.state, unit, amount, nowMs)),
    );
  }

  /** Tokens for the queue are leased at the end of the turn if there are none. */
  dueMs(firstCost: Amount, nowMs: number): number {
    this.#soon();
    return firstCost === 0 ? Number.POSITIVE_INFINITY : dueAtMs(this.state, micros(firstCost), nowMs);
  }

  /** Tokens that were not leased cannot be given back to the store. */
  settle(surplus: Amount, held: LeasesHeld, nowMs: number): void {
    const amounts = typeof surplus === 'number' ? [surplus] : surplus;
    const { limits, maxPauseMs } = this.#setup;
    const most = amounts.map((amount, unit) => {
      const { capacity, refillPerSecond } = limits[unit] as Quota;
      // A debt too large to pay within the longest pause can only be a mistake.
      return Math.trunc(Math.max(amount, -capacity - (refillPerSecond * maxPauseMs) / 1_000) * 1e6);
    });
    this.tell({ type: 'settle', surplus: most, held }, nowMs);
  }

  pause(untilMs: number, nowMs: number): void {
    this.tell({ type: 'pause', endsAtMs: Math.min(untilMs, nowMs + LONGEST_PAUSE_MS) }, nowMs);
  }

  resume(nowMs: number): void {
    this.tell({ type: 'unpause' }, nowMs);
  }
}
