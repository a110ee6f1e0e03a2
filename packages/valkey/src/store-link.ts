import { type SteadyTime, sleep } from '@ebb/core/bucket';
import { micro } from './backlog.ts';
import { BucketStore } from './bucket-store.ts';
import { ConnectWait } from './connect-wait.ts';
import { type Connection, watchConnection } from './connection.ts';
import { emitStoreEvent } from './events.ts';
import { LossDetector } from './loss-detector.ts';
import type { FleetSetup } from './options.ts';
import { Outage, retryDelayMs } from './outage.ts';
import { FleetPause } from './pause.ts';
import { ProcessCount } from './process-count.ts';
import { BucketState, type Reply, type StoreCall } from './store-call.ts';

/** A store that lost the bucket repeatedly must keep it so long before the bucket is shared again, in milliseconds. */
const PROBATION_MS = 1_000;

interface Hooks {
  /** When the first request in the queue gives up; `Infinity` if never, or if none waits. */
  readonly deadlineMs: () => number;
  /** A pause began. */
  readonly onPause: (untilMs: number) => void;
  /** The store replied: all tokens leased so far are available at `emptyAtMs`. */
  readonly onState: (emptyAtMs: number) => void;
  /** The store was lost, or is back. */
  readonly onChange: () => void;
  /** A lease came after its call had timed out. */
  readonly onLateLease: (lease: Reply, nowMs: number) => void;
  /** Tokens spent during an outage have to be paid, in millionths. */
  readonly onDebt: (amount: number) => void;
}

/** What the store said to this process last, and whether it can be called. An error or a missing reply starts an outage. */
export class StoreLink {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #store: BucketStore;
  readonly #hooks: Hooks;
  readonly #connection: Connection;
  readonly #connectWait: ConnectWait;
  readonly #losses: LossDetector;
  readonly #state = new BucketState();
  readonly #processes = new ProcessCount();
  readonly pause: FleetPause;
  /** `undefined` while the store can be called. */
  outage: Outage | undefined;
  isClosed = false;
  #isTold = false;
  /** How often the store was called. */
  calls = 0;
  /** When the store was called last. */
  calledAtMs: number = Number.NEGATIVE_INFINITY;
  /** When the latest call that got a reply was sent. */
  #answeredCallMs = Number.NEGATIVE_INFINITY;

  constructor(setup: FleetSetup, time: SteadyTime, hooks: Hooks) {
    this.#setup = setup;
    this.#time = time;
    this.#hooks = hooks;
    this.#losses = new LossDetector((setup.capacity * 1_000) / setup.refillPerSecond);
    this.#connectWait = new ConnectWait(setup, time, hooks.deadlineMs);
    const connection = watchConnection(setup.client);
    this.#connection = connection;
    const capacity = micro(setup.capacity);
    const extraWaitMs = (error: unknown): number => this.#connectLeftMs(error);
    const onLate = (call: StoreCall, reply: Reply | undefined): void => this.#onLate(call, reply);
    this.#store = new BucketStore({ ...setup, connection, capacity, time, extraWaitMs, onLate });
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

  /** The highest count of processes in the last minute; 0 before the first reply. */
  get processes(): number {
    return this.#processes.value;
  }

  /** When the bucket is or was empty, by the last reply; `-Infinity` before the first. */
  get emptyAtMs(): number {
    return this.#state.emptyAtMs;
  }

  /** True if tokens were given back lately, here or elsewhere, so that requests may be served sooner than known. */
  isMoving(nowMs: number): boolean {
    return this.#state.isMoving(nowMs);
  }

  /** Calls the store. A failure starts an outage. */
  async call(call: StoreCall): Promise<Reply> {
    const sentAtMs = this.#time.now();
    this.#connectWait.start(sentAtMs);
    for (let retries = 0; ; retries += 1) {
      this.calledAtMs = this.#time.now();
      this.calls += 1;
      try {
        const reply = await this.#store.call(call);
        this.#answeredCallMs = Math.max(this.#answeredCallMs, sentAtMs);
        this.#apply(reply);
        this.#losses.record(reply.lostBucket, this.#time.now());
        return reply;
      } catch (error) {
        if (await this.#waitForConnection(error, retries)) continue;
        // If a later call got a reply, this failure is over already.
        if (sentAtMs >= this.#answeredCallMs) this.#startOutage(error, sentAtMs);
        throw error;
      }
    }
  }

  /** How much longer to wait for the first connection, in milliseconds; 0 if the store was reached before. */
  #connectLeftMs(error: unknown): number {
    if (this.processes > 0 || this.outage !== undefined || this.isClosed) return 0;
    return this.#connectWait.leftMs(error);
  }

  /** Some clients reject calls while they connect. Waits, and returns whether to call again. */
  async #waitForConnection(error: unknown, retries: number): Promise<boolean> {
    const leftMs = this.#connectLeftMs(error);
    if (leftMs <= 0) return false;
    // With at most `timeoutMs` here, closing ends within twice that.
    const delayMs = Math.min(retryDelayMs(this.#setup, retries), this.#setup.timeoutMs, leftMs);
    await sleep(this.#time.clock, delayMs);
    return this.outage === undefined && !this.isClosed;
  }

  /** Whether a call that must arrive in time can be sent now. */
  #readiness(): 'connected' | 'unknown' | 'unavailable' {
    if (this.outage !== undefined) return 'unavailable';
    if (this.processes > 0) return 'connected';
    return this.#store.unansweredCalls(this.#time.now()) === 0 ? 'unknown' : 'unavailable';
  }

  /** Stops watching the client. No outage starts from now on. */
  close(): void {
    this.isClosed = true;
    this.#connection.release();
  }

  #apply(reply: Reply): void {
    const nowMs = this.#time.now();
    if (this.#state.observe(reply, nowMs)) this.#hooks.onState(this.emptyAtMs);
    // A store that lost the bucket counts from 0 again.
    if (this.outage !== undefined) this.#processes.renew(nowMs);
    this.#processes.record(reply.processes, nowMs);
    this.pause.observe(reply, nowMs);
  }

  #startOutage(error: unknown, sinceMs: number): void {
    if (this.outage !== undefined) return;
    if (this.isClosed) {
      // No outage begins after the end, but what could not be given back or charged is told, once.
      if (!this.#isTold)
        emitStoreEvent(this.#setup, this.#time.clock, {
          type: 'lost',
          error,
          mode: this.#setup.onStoreError,
          share: 0,
        });
      this.#isTold = true;
      return;
    }
    const nowMs = this.#time.now();
    // Other processes have leased as far ahead again since the last reply.
    const emptyAtMs = nowMs + this.#state.leasedAheadMs;
    this.outage = new Outage(this.#setup, error, this.processes, sinceMs, emptyAtMs, nowMs);
    const { mode, share } = this.outage;
    emitStoreEvent(this.#setup, this.#time.clock, { type: 'lost', error, mode, share });
    this.#hooks.onChange();
  }

  /** During an outage: calls the store if a retry is due, and shares the bucket again if its time has come. */
  check(nowMs: number): void {
    const { outage } = this;
    if (outage === undefined || this.isClosed) return;
    if (nowMs >= outage.sharedAtMs) void this.#endOutage(outage, nowMs);
    else if (nowMs >= outage.nextRetryMs(this.#store.unansweredCalls(nowMs))) void this.#retry(outage, nowMs);
  }

  /** When to call {@link check} next; `Infinity` without an outage. */
  nextCheckMs(waiting: boolean, nowMs: number): number {
    return this.outage?.nextCheckMs(this.#store.unansweredCalls(nowMs), waiting) ?? Number.POSITIVE_INFINITY;
  }

  async #retry(outage: Outage, nowMs: number): Promise<void> {
    outage.scheduleRetry(nowMs);
    const outageMs = nowMs - outage.sinceMs;
    const handoverMs = outage.handoverMs(nowMs);
    this.calls += 1;
    try {
      const reply = await this.#store.call({ mode: 'resume', outageMs, handoverMs });
      if (this.outage !== outage) return;
      if (reply.tooLate) throw new Error('The call reached the store after its deadline');
      this.#apply(reply);
      this.#answeredCallMs = nowMs;
      this.#losses.record(reply.lostBucket, this.#time.now());
      const resumeInMs = outage.isForgetful ? Math.max(reply.resumeInMs, PROBATION_MS) : reply.resumeInMs;
      outage.sharedAtMs = this.#time.now() + Math.max(0, resumeInMs);
      this.#hooks.onDebt(outage.debt(outageMs, reply.resumeInMs));
    } catch {
      // The outage goes on.
    }
    this.#hooks.onChange();
  }

  async #endOutage(outage: Outage, nowMs: number): Promise<void> {
    if (outage.isForgetful && !(await this.#hasKeptBucket(outage, nowMs))) return;
    if (this.outage !== outage) return;
    const endMs = this.#time.now();
    this.outage = undefined;
    emitStoreEvent(this.#setup, this.#time.clock, { type: 'back', outageMs: endMs - outage.sinceMs });
    this.pause.sync(endMs);
    this.#hooks.onChange();
  }

  /** Whether the store still has the bucket after its probation. If not, the outage goes on. */
  async #hasKeptBucket(outage: Outage, nowMs: number): Promise<boolean> {
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

  /** A reply (or an error, then `undefined`) came after its call had timed out. */
  #onLate(call: StoreCall, reply: Reply | undefined): void {
    if (reply !== undefined) {
      const nowMs = this.#time.now();
      this.outage?.retryNow();
      this.#processes.record(reply.processes, nowMs);
      this.outage?.learn(this.processes, nowMs);
      if (call.mode === 'lease') this.#hooks.onLateLease(reply, nowMs);
    }
    this.#hooks.onChange();
  }
}
