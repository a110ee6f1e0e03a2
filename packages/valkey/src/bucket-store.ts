import { nextTurn, type Quota, type SteadyTime } from '@ebb/core/bucket';
import { micro } from './backlog.ts';
import type { Connection } from './connection.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';
import {
  argumentsOf,
  isOvertaken,
  listed,
  type ParsedState,
  parseReply,
  parseState,
  type Reply,
  type StoreCall,
} from './store-call.ts';
import { runScript, type StoreClient } from './store-client.ts';
import { isPermanent, messageOf, noReply, withoutSecrets } from './store-error.ts';
import { timeLimit } from './time-limit.ts';

/** Calls by which the store counts the processes. */
const COUNTING: ReadonlySet<StoreCall['mode']> = new Set(['lease', 'peek', 'resume']);

interface StoreOptions {
  readonly storeClient: StoreClient;
  readonly connection: Connection;
  readonly key: string;
  readonly limits: readonly Quota[];
  readonly timeoutMs: number;
  /** The longest time that a debt takes to pay, in milliseconds. */
  readonly maxPauseMs: number;
  readonly time: SteadyTime;
  /**
   * How much longer to wait after `timeoutMs`, in milliseconds. `connectionError` may be the reason for the silence.
   */
  readonly extraWaitMs: (connectionError: unknown) => number;
}

/** What came of a call: a reply, or an error. */
export interface Outcome {
  readonly reply?: Reply;
  readonly error?: unknown;
  /** The call was given up: what comes of it yet. */
  readonly late?: Promise<Reply | undefined>;
}

/** Calls the script of one bucket, and hands in the last state that this process saw. */
export class BucketStore {
  readonly #options: StoreOptions;
  /** The last state, and when the server wrote it, on its own clock, in microseconds. */
  #state = '';
  #stateAtUs = 0;
  #parsed: ParsedState | undefined;
  /** When the store has counted this process last, on the server's clock, in microseconds. */
  #countedAtUs = 0;
  /** True while a call is under way that may count it. */
  #isCounting = false;
  /** How far the server's clock is ahead of ours, in milliseconds; `undefined` before the first reply. */
  #clockAheadMs: number | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** Ends with the client's error, or if there is no reply in time. Never rejects. */
  call(call: StoreCall, sentAtMs: number): Promise<Outcome> {
    const { time, timeoutMs, extraWaitMs, connection } = this.#options;
    const sent = this.#send(call, sentAtMs).then(
      (reply): Outcome => ({ reply }),
      (error): Outcome => ({ error: withoutSecrets(error) }),
    );
    return new Promise((resolve) => {
      const onTimeout = (): void => {
        const connectionError = connection.error();
        const extraMs = Math.min(extraWaitMs(connectionError), timeoutMs);
        if (extraMs > 0) {
          stopTimer = timeLimit(time.clock, extraMs, onTimeout);
          return;
        }
        const error = noReply(time.now() - sentAtMs, connectionError);
        resolve({ error, late: sent.then(({ reply }) => reply) });
      };
      let stopTimer = timeLimit(time.clock, timeoutMs, onTimeout);
      void sent.then((outcome) => {
        stopTimer();
        resolve(outcome);
      });
    });
  }

  async #send(call: StoreCall, nowMs: number): Promise<Reply> {
    const { storeClient, key, limits, timeoutMs, maxPauseMs } = this.#options;
    // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
    const deadlineMs = this.#clockAheadMs === undefined ? 0 : nowMs + this.#clockAheadMs + 2 * timeoutMs;
    const counts = COUNTING.has(call.mode) && !this.#isCounting;
    if (counts) this.#isCounting = true;
    const common = [
      listed(limits.map(({ refillPerSecond }) => refillPerSecond)),
      listed(limits.map(({ capacity }) => micro(capacity))),
      this.#state,
      Math.ceil(deadlineMs * 1_000).toFixed(0),
      counts ? `${this.#countedAtUs}` : '-1',
    ];
    const args = [call.mode, ...common, ...argumentsOf(call, maxPauseMs)];
    try {
      const reply = await runScript(storeClient, { text: SCRIPT, sha1: SCRIPT_SHA1 }, key, args);
      return this.#receive(call, reply, counts);
    } catch (error) {
      throw await this.#causeOf(error);
    } finally {
      if (counts) this.#isCounting = false;
    }
  }

  /** node-redis sends commands after a failed login. The login's error comes before, or in the same turn. */
  async #causeOf(error: unknown): Promise<unknown> {
    if (!/NOAUTH|unauthenticated/.test(messageOf(error))) return error;
    await nextTurn();
    const connectionError = this.#options.connection.error();
    return isPermanent(connectionError) ? connectionError : error;
  }

  #receive(call: StoreCall, rawReply: unknown, counts: boolean): Reply {
    const reply = parseReply(call, rawReply, this.#options.limits.length);
    const { atUs, state } = reply;
    this.#options.connection.clearError();
    this.#clockAheadMs = atUs / 1_000 - this.#options.time.now();
    if (counts && !reply.tooLate) this.#countedAtUs = atUs;
    return { ...reply, lostBucket: this.#updateState(state, atUs) };
  }

  /** Keeps the state if it is the newest. Returns whether the store has lost the bucket in between. */
  #updateState(state: string, atUs: number): boolean {
    if (isOvertaken(atUs, this.#stateAtUs)) return false;
    const usPerFill = this.#options.limits.map(
      ({ capacity, refillPerSecond }) => (capacity / refillPerSecond) * 1e6,
    );
    const before = this.#parsed;
    this.#parsed = parseState(state, usPerFill);
    this.#state = state;
    this.#stateAtUs = atUs;
    return before !== undefined && atUs < before.keptUntilUs && this.#parsed?.epoch !== before.epoch;
  }
}
