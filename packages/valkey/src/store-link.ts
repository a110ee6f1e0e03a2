import { callObserver, type SteadyTime, sleep } from '@ebb/core/bucket';
import { type Connection, watchConnection } from './connection.ts';
import type { StoreEvent } from './events.ts';
import { LossDetector } from './loss-detector.ts';
import type { FleetSetup } from './options.ts';
import { Outage, retryDelayMs } from './outage.ts';
import { FleetPause } from './pause.ts';
import { type Reply, Store, type StoreCall } from './store.ts';
import { isPermanent } from './store-error.ts';

/** For so long the highest count of processes is believed. */
const COUNT_MS = 60_000;

/** How long to wait for a first connection if nothing else is said. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A store that lost the bucket over and over has to keep it for so long before it is shared again. */
const PROOF_MS = 1_000;

/** A reply that is older than another by more than this is of a clock that was set back. */
const MOST_OVERTAKEN_US = 1e6;

/** What is left of a time that is over, as times are sums of fractions: a clock may not be able to tell it. */
const SHORTEST_MS = 1e-3;

type Happening<E extends StoreEvent = StoreEvent> = E extends StoreEvent ? Omit<E, 'key' | 'atMs'> : never;

interface Hooks {
  /** When the first in line gives up; `Infinity` if never, or if no one waits. */
  readonly deadlineMs: () => number;
  /** The bucket is closed for a while. */
  readonly onPause: (untilMs: number) => void;
  /** The store has said when all tokens that were ever leased are there. */
  readonly onWord: (emptyAtMs: number) => void;
  /** The store was lost, or is there again. */
  readonly onChange: () => void;
  /** Tokens came that nobody wants any longer. */
  readonly onUnwanted: (lease: Reply, nowMs: number) => void;
  /** What was spent beside the bucket is to be paid. */
  readonly onDebt: (amount: number) => void;
}

/** What this process knows of the bucket in the store, and whether it can be asked. */
export class StoreLink {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #store: Store;
  readonly #hooks: Hooks;
  readonly #connection: Connection;
  /** Whether no one can be served before the store was reached for the first time. */
  readonly #needsStore: boolean;
  /** When the store was called first. */
  #firstCallMs: number | undefined;
  /** `undefined` while the store can be asked. */
  outage: Outage | undefined;
  /** How many processes there are, by the highest count of late; 0 when that was never heard. */
  processes = 0;
  #countedAtMs = Number.NEGATIVE_INFINITY;
  readonly #losses: LossDetector;
  /** How often the store was called, and when that was last. */
  calls = 0;
  calledAtMs: number = Number.NEGATIVE_INFINITY;
  /** When the last of those was sent that have been answered. */
  #answeredMs = Number.NEGATIVE_INFINITY;
  /** When the bucket is or was empty, as it was told last. */
  emptyAtMs: number = Number.NEGATIVE_INFINITY;
  /** When the store said so, by its clock in microseconds. */
  #heardUs = Number.NEGATIVE_INFINITY;
  /** How far ahead that was then. */
  #leadMs = 0;
  readonly pause: FleetPause;
  isClosed = false;

  constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks) {
    this.#setup = setup;
    this.#time = time;
    this.#hooks = hooks;
    this.#losses = new LossDetector((setup.capacity * 1_000) / setup.refillPerSecond);
    const { onStoreError, localShare } = setup;
    this.#needsStore = onStoreError === 'closed' || (onStoreError === 'local' && localShare === undefined);
    const connection = watchConnection(setup.client);
    this.#connection = connection;
    const capacity = Math.ceil(setup.capacity * 1e6);
    const extraWaitMs = (connectionError: unknown): number => this.#patienceMs(connectionError);
    const onLate = (call: StoreCall, reply: Reply | undefined): void => this.#onLate(call, reply);
    this.#store = new Store({ ...setup, connection, capacity, time, extraWaitMs, onLate });
    this.pause = new FleetPause({
      call: (call) => this.call(call),
      readiness: () => this.#readiness(),
      onBegin: (untilMs) => {
        this.outage?.local.pause(untilMs);
        hooks.onPause(untilMs);
      },
      onEnd: (earlierMs) => {
        this.outage?.local.resume(earlierMs);
        hooks.onChange();
      },
    });
  }

  /** One call, of which all that it says is heeded. When it fails, an outage begins. */
  async call(call: StoreCall): Promise<Reply> {
    const sentAtMs = this.#time.now();
    this.#firstCallMs ??= sentAtMs;
    for (let tries = 0; ; tries += 1) {
      this.calledAtMs = this.#time.now();
      this.calls += 1;
      try {
        const reply = await this.#store.call(call);
        this.#answeredMs = Math.max(this.#answeredMs, sentAtMs);
        this.#apply(reply);
        this.#losses.record(reply.lostBucket, this.#time.now());
        return reply;
      } catch (error) {
        if (await this.#mayTryAgain(error, tries)) continue;
        // Where a later call was answered, this is the end of something that is over.
        if (sentAtMs >= this.#answeredMs) this.#lose(error, sentAtMs);
        throw error;
      }
    }
  }

  /**
   * How much longer to wait for a store that was never reached, in milliseconds. 0 if it was reached before, if the
   * error is permanent, and if requests can go without the store.
   */
  #patienceMs(error: unknown): number {
    const wasReached = this.processes > 0;
    if (wasReached || !this.#needsStore || this.outage !== undefined || this.isClosed) return 0;
    if (isPermanent(error)) return 0;
    const { connectTimeoutMs } = this.#setup;
    const untilMs = (this.#firstCallMs ?? 0) + (connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    const deadlineMs = connectTimeoutMs === undefined ? this.#hooks.deadlineMs() : Number.POSITIVE_INFINITY;
    const endMs = deadlineMs === Number.POSITIVE_INFINITY ? untilMs : Math.max(untilMs, deadlineMs);
    const leftMs = endMs - this.#time.now();
    return leftMs < SHORTEST_MS ? 0 : leftMs;
  }

  /** Whether the store can be told something that has to arrive in time. */
  #readiness(): 'connected' | 'unknown' | 'unavailable' {
    if (this.outage !== undefined) return 'unavailable';
    if (this.processes > 0) return 'connected';
    return this.#store.unansweredCalls(this.#time.now()) === 0 ? 'unknown' : 'unavailable';
  }

  /** Some clients reject calls while they have no connection. */
  async #mayTryAgain(error: unknown, tries: number): Promise<boolean> {
    const patienceMs = this.#patienceMs(error);
    if (patienceMs <= 0) return false;
    // Closing ends within twice `timeoutMs`.
    const delayMs = Math.min(retryDelayMs(this.#setup, tries), this.#setup.timeoutMs, patienceMs);
    await sleep(this.#time.clock, delayMs);
    return this.outage === undefined && !this.isClosed;
  }

  /** From now on no store is lost, and the client is not watched. */
  close(): void {
    this.isClosed = true;
    this.#connection.release();
  }

  #apply(reply: Reply): void {
    const nowMs = this.#time.now();
    const overtakenUs = this.#heardUs - reply.atUs;
    // Replies on several connections overtake each other: what was leased later is not there by then. A server's clock
    // that is set back for longer is gone on from.
    if (overtakenUs <= 0 || overtakenUs > MOST_OVERTAKEN_US) {
      this.#heardUs = reply.atUs;
      this.#leadMs = Math.max(0, reply.emptyInMs);
      this.emptyAtMs = nowMs + reply.emptyInMs;
      this.#hooks.onWord(this.emptyAtMs);
    }
    this.#count(reply.processes, nowMs);
    this.pause.observe(reply, nowMs);
  }

  /** A store that was lost, or has lost the bucket, begins to count anew: a low count is not believed at once. */
  #count(processes: number, nowMs: number): void {
    if (this.outage !== undefined) this.#countedAtMs = nowMs;
    if (processes < this.processes && nowMs < this.#countedAtMs + COUNT_MS) return;
    this.processes = processes;
    this.#countedAtMs = nowMs;
  }

  #lose(error: unknown, sinceMs: number): void {
    if (this.outage !== undefined || this.isClosed) return;
    const nowMs = this.#time.now();
    // The others have leased on since we heard of it.
    this.outage = new Outage(this.#setup, error, this.processes, sinceMs, nowMs + this.#leadMs, nowMs);
    const { mode, share } = this.outage;
    this.#tell({ type: 'lost', error, mode, share });
    this.#hooks.onChange();
  }

  /** Looks whether the store is there again, if it is time to. */
  lookAfter(nowMs: number): void {
    const { outage } = this;
    if (outage === undefined || this.isClosed) return;
    if (nowMs >= outage.sharedAtMs) void this.#share(outage, nowMs);
    else if (nowMs >= outage.nextRetryMs(this.#store.unansweredCalls(nowMs)))
      void this.#tryAgain(outage, nowMs);
  }

  /** When to look next. */
  nextMs(waiting: boolean, nowMs: number): number {
    return this.outage?.nextCheckMs(this.#store.unansweredCalls(nowMs), waiting) ?? Number.POSITIVE_INFINITY;
  }

  async #tryAgain(outage: Outage, nowMs: number): Promise<void> {
    outage.scheduleRetry(nowMs);
    this.calls += 1;
    const outageMs = nowMs - outage.sinceMs;
    try {
      const reply = await this.#store.call({
        mode: 'resume',
        outageMs,
        handoverMs: outage.handoverMs(nowMs),
      });
      if (this.outage !== outage) return;
      if (reply.tooLate) throw new Error('It came too late to be done');
      this.#apply(reply);
      this.#answeredMs = nowMs;
      this.#losses.record(reply.lostBucket, this.#time.now());
      const resumeInMs = outage.isForgetful ? Math.max(reply.resumeInMs, PROOF_MS) : reply.resumeInMs;
      outage.sharedAtMs = this.#time.now() + Math.max(0, resumeInMs);
      this.#hooks.onDebt(outage.debt(outageMs, reply.resumeInMs));
    } catch {
      // It is lost as it was.
    }
    this.#hooks.onChange();
  }

  async #share(outage: Outage, sinceMs: number): Promise<void> {
    if (outage.isForgetful && !(await this.#hasKept(outage, sinceMs))) return;
    if (this.outage !== outage) return;
    const nowMs = this.#time.now();
    this.outage = undefined;
    this.#tell({ type: 'back', outageMs: nowMs - outage.sinceMs });
    this.pause.sync(nowMs);
    this.#hooks.onChange();
  }

  /** Whether the store still has the bucket that was handed to it some time ago. If not, it is lost as it was. */
  async #hasKept(outage: Outage, nowMs: number): Promise<boolean> {
    outage.sharedAtMs = Number.POSITIVE_INFINITY;
    outage.scheduleRetry(nowMs);
    this.calls += 1;
    try {
      const reply = await this.#store.call({ mode: 'peek' });
      this.#apply(reply);
      this.#losses.record(reply.lostBucket, this.#time.now());
      return true;
    } catch {
      this.#hooks.onChange();
      return false;
    }
  }

  /** Something came for which nobody waited any longer. */
  #onLate(call: StoreCall, reply: Reply | undefined): void {
    if (reply !== undefined) {
      this.outage?.retryNow();
      if (call.mode === 'lease') this.#hooks.onUnwanted(reply, this.#time.now());
    }
    this.#hooks.onChange();
  }

  #tell(event: Happening): void {
    const { onStoreEvent, key, clock } = this.#setup;
    if (onStoreEvent === undefined) return;
    callObserver('onStoreEvent', onStoreEvent, { ...event, key, atMs: clock.now() } as StoreEvent);
  }
}
