import { nextTurn, type Quota, type SteadyTime, sleep } from '@ebb/core/bucket';
import { type Connection, watchConnection } from './connection.ts';
import { callArgs, isSlow, type LeaseState, retryDelayMs } from './lease.ts';
import { type Operation, type OperationResult, operate } from './operator-call.ts';
import type { FleetSetup } from './options.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';
import { parseReply, type RawReply, type StoreCall, unitNames } from './store-call.ts';
import { inTime, type Outcome, runScript } from './store-client.ts';
import { isPermanent, messageOf } from './store-error.ts';

/** Default of `connectTimeoutMs`. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Times are sums of fractions: a rest below this may be too short for the clock to measure. In milliseconds. */
const SHORTEST_MS = 1e-3;

const notTooShort = (leftMs: number): number => (leftMs < SHORTEST_MS ? 0 : leftMs);

/** A reply, and when its call was sent. */
interface TimedReply {
  readonly reply: RawReply;
  readonly sentAtMs: number;
}

export type StoreOutcome = Outcome<TimedReply>;

/** Calls the script of one bucket, and waits for the first connection. */
export class BucketStore {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #process: { readonly state: LeaseState };
  readonly #deadlineMs: () => number;
  readonly #connection: Connection;
  readonly #wasReached: boolean;
  /** When the store was called first. */
  #startedAtMs: number | undefined;

  /**
   * @param process how it stands
   * @param deadlineMs when the first request in the queue gives up; `Infinity` if never, or if none waits
   */
  constructor(
    setup: FleetSetup,
    time: SteadyTime,
    process: { readonly state: LeaseState },
    deadlineMs: () => number,
  ) {
    this.#setup = setup;
    this.#time = time;
    this.#process = process;
    this.#deadlineMs = deadlineMs;
    // Calls for other keys have shown that there is a store.
    this.#wasReached = (setup.shared?.processes() ?? 0) > 0;
    this.#connection = watchConnection(setup.client);
  }

  /** Stops watching the client. */
  release(): void {
    this.#connection.release();
  }

  /** Calls the store. Some clients reject calls while they connect: then again, until they are connected. Never rejects. */
  async call(call: StoreCall, atMs: number): Promise<StoreOutcome> {
    this.#startedAtMs ??= atMs;
    for (let nowMs = atMs, retries = 0; ; nowMs = this.#time.now(), retries += 1) {
      const sentAtMs = nowMs;
      const outcome = await inTime(() => this.#send(call, sentAtMs), {
        ...this.#limit,
        sentAtMs,
        extraMs: (error, silentMs) => Math.max(this.#leftMs(error), this.#slowMs(silentMs)),
      });
      if (outcome.reply !== undefined) return outcome;
      const leftMs = this.#leftMs(outcome.error);
      if (leftMs <= 0) return outcome;
      // With at most `timeoutMs` here, closing ends within twice that.
      const delayMs = Math.min(retryDelayMs(this.#setup, retries), this.#setup.timeoutMs, leftMs);
      await sleep(this.#time.clock, delayMs);
      if (!this.#isNew) return outcome;
    }
  }

  get #limit() {
    return { time: this.#time, connection: this.#connection, timeoutMs: this.#setup.timeoutMs };
  }

  /** How much longer to wait shortly after an outage. */
  #slowMs(silentMs: number): number {
    const { state } = this.#process;
    return isSlow(state, this.#time.now()) ? notTooShort(2 * this.#setup.timeoutMs - silentMs) : 0;
  }

  /** Whether the store was never reached, and calls are to wait for its first connection. */
  get #isNew(): boolean {
    const { processes, outage, isClosed } = this.#process.state;
    return !this.#wasReached && processes === 0 && outage === undefined && !isClosed;
  }

  /** How much longer to wait for the first connection, in milliseconds; 0 if requests can go without, or never get it. */
  #leftMs(error: unknown): number {
    const { onStoreError, localShare, connectTimeoutMs } = this.#setup;
    const needsStore = onStoreError === 'closed' || (onStoreError === 'local' && localShare === undefined);
    if (!needsStore || isPermanent(error) || !this.#isNew) return 0;
    const untilMs = (this.#startedAtMs ?? 0) + (connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    const deadlineMs = connectTimeoutMs === undefined ? this.#deadlineMs() : Number.POSITIVE_INFINITY;
    const endMs = deadlineMs === Number.POSITIVE_INFINITY ? untilMs : Math.max(untilMs, deadlineMs);
    return notTooShort(endMs - this.#time.now());
  }

  async #send(call: StoreCall, sentAtMs: number): Promise<TimedReply> {
    const { limits, timeoutMs } = this.#setup;
    try {
      let reply = parseReply(call, await this.#run(call, sentAtMs, false), limits.length);
      const nowMs = reply.tooLate ? this.#time.now() : sentAtMs;
      // The call was not on its way for so long: the store's clock is ahead of the time passed here.
      const isAhead = reply.tooLate && nowMs - sentAtMs < 2 * timeoutMs;
      if (isAhead) reply = parseReply(call, await this.#run(call, nowMs, true), limits.length);
      this.#connection.clearError();
      return { reply, sentAtMs: isAhead ? nowMs : sentAtMs };
    } catch (error) {
      throw await this.#causeOf(error);
    }
  }

  #run(call: StoreCall, nowMs: number, proposes: boolean): Promise<unknown> {
    const { storeClient, key } = this.#setup;
    const args = callArgs(this.#process.state, call, nowMs, proposes);
    return runScript(storeClient, { text: SCRIPT, sha1: SCRIPT_SHA1 }, key, args);
  }

  /** node-redis sends commands after a failed login. The login's error comes before, or in the same turn. */
  async #causeOf(error: unknown): Promise<unknown> {
    if (!/NOAUTH|unauthenticated/.test(messageOf(error))) return error;
    await nextTurn();
    const connectionError = this.#connection.error();
    return isPermanent(connectionError) ? connectionError : error;
  }

  /**
   * Gives some units other limits, if those hold that the last reply has told.
   *
   * @param changed which units
   * @param limits of all units from then on
   */
  async setLimits(changed: readonly number[], limits: readonly Quota[]): Promise<OperationResult> {
    const { storeClient, key, names } = this.#setup;
    const version = this.#process.state.known.last?.version ?? 0;
    const operation: Operation = {
      ...{ type: 'set', version },
      to: {
        names: unitNames(names && changed.map((unit) => names[unit] as string)),
        limits: changed.map((unit) => limits[unit] as Quota),
      },
      // A bucket that is full and quiet is not in the store.
      made: {
        names: this.#setup.unitNames,
        declared: this.#setup.unitNames + this.#setup.declared,
        limits,
        version: Math.max(1, version) + 1,
      },
    };
    const limit = { ...this.#limit, sentAtMs: this.#time.now() };
    const { reply, error } = await inTime(() => operate(storeClient, key, operation), limit);
    if (reply === undefined) throw error;
    return reply;
  }
}
