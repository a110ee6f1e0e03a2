import { nextTurn, type Quota, type SteadyTime } from '@ebb/core/bucket';
import type { Connection } from './connection.ts';
import { type IdleState, KnownState, type Reply } from './known-state.ts';
import { type Operation, type OperationResult, operate } from './operator-call.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';
import { argumentsOf, parseReply, type StoreCall, whoOf } from './store-call.ts';
import { runScript, type StoreClient } from './store-client.ts';
import { isPermanent, messageOf, noReply, withoutSecrets } from './store-error.ts';
import { timeLimit } from './time-limit.ts';
import { limitsText, unitNames } from './unit-text.ts';

interface StoreOptions {
  readonly storeClient: StoreClient;
  readonly connection: Connection;
  readonly key: string;
  readonly names: readonly string[] | undefined;
  readonly limits: readonly Quota[];
  readonly timeoutMs: number;
  /** The longest time that a debt takes to pay, in milliseconds. */
  readonly maxPauseMs: number;
  readonly time: SteadyTime;
  /**
   * How much longer to wait after `timeoutMs`, in milliseconds. `connectionError` may be the reason for the silence, which has lasted for
   * `silentMs`.
   */
  readonly extraWaitMs: (connectionError: unknown, silentMs: number) => number;
}

/** The outcome of a call: a reply or an error. */
export interface Outcome {
  readonly reply?: Reply;
  readonly error?: unknown;
  /** The reply after the call was given up; `undefined` for an error. */
  readonly late?: Promise<Reply | undefined>;
}

const us = (ms: number | undefined): string => (ms === undefined ? '0' : Math.ceil(ms * 1_000).toFixed(0));

/** Calls the script of one bucket, and hands in the last state that this process saw. */
export class BucketStore {
  readonly #options: StoreOptions;
  readonly #known: KnownState;
  readonly #names: string;
  /** The limits that the program has given, whatever holds now. */
  readonly #declared: string;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#known = new KnownState([...options.limits]);
    this.#names = unitNames(options.names);
    this.#declared = limitsText(options.limits);
  }

  /** Returns the state to keep while no request needs the bucket; `undefined` before the first reply. */
  rest(): IdleState | undefined {
    return this.#known.rest(this.#options.time.startMs);
  }

  /** Goes on from the state that {@link rest} returned. */
  wake(rested: IdleState, nowMs: number): Reply {
    return this.#known.wake(rested, this.#options.time.startMs, nowMs);
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
        const silentMs = time.now() - sentAtMs;
        const extraMs = Math.min(extraWaitMs(connectionError, silentMs), timeoutMs);
        if (extraMs > 0) {
          stopTimer = timeLimit(time.clock, extraMs, onTimeout);
          return;
        }
        const error = noReply(silentMs, connectionError);
        resolve({ error, late: sent.then(({ reply }) => reply) });
      };
      let stopTimer = timeLimit(time.clock, timeoutMs, onTimeout);
      void sent.then((outcome) => {
        stopTimer();
        resolve(outcome);
      });
    });
  }

  /**
   * Gives some units other limits, if those hold that the last reply has told.
   *
   * @param changed which units
   * @param limits of all units from then on
   */
  async setLimits(changed: readonly number[], limits: readonly Quota[]): Promise<OperationResult> {
    const { storeClient, key, names, time, timeoutMs } = this.#options;
    const version = Number(this.#known.args[0]);
    const operation: Operation = {
      ...{ type: 'set', version },
      to: {
        names: unitNames(names && changed.map((unit) => names[unit] as string)),
        limits: changed.map((unit) => limits[unit] as Quota),
      },
      // A bucket that is full and quiet is not in the store.
      made: {
        names: this.#names,
        declared: this.#names + this.#declared,
        limits,
        version: Math.max(1, version) + 1,
      },
    };
    const sentAtMs = time.now();
    return new Promise((resolve, reject) => {
      const onTimeout = (): void => reject(noReply(time.now() - sentAtMs, this.#options.connection.error()));
      const stopTimer = timeLimit(time.clock, timeoutMs, onTimeout);
      void operate(storeClient, key, operation)
        .then(resolve, (error) => reject(withoutSecrets(error)))
        .finally(stopTimer);
    });
  }

  async #send(call: StoreCall, sentAtMs: number): Promise<Reply> {
    const { connection, limits, time, timeoutMs } = this.#options;
    try {
      let raw = parseReply(call, await this.#run(call, sentAtMs, false), limits.length);
      const nowMs = time.now();
      // The call was not on its way for so long: the store's clock is ahead of the time passed here.
      const isAhead = raw.tooLate && nowMs - sentAtMs < 2 * timeoutMs;
      if (isAhead) raw = parseReply(call, await this.#run(call, nowMs, true), limits.length);
      connection.clearError();
      return this.#known.observe(raw, isAhead ? nowMs : sentAtMs, time.now());
    } catch (error) {
      throw await this.#causeOf(error);
    }
  }

  /** @param proposes whether to set the bucket's time back to the time known to this process */
  #run(call: StoreCall, nowMs: number, proposes: boolean): Promise<unknown> {
    const { storeClient, key, timeoutMs, maxPauseMs } = this.#options;
    const timeMs = this.#known.timeMs(nowMs);
    // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
    const untilMs = timeMs === undefined ? undefined : timeMs + 2 * timeoutMs;
    const [version, epoch, at, state] = this.#known.args;
    const args = [
      ...[call.mode, this.#names, us(untilMs), proposes ? us(timeMs) : '0', version, epoch, at, state],
      ...[this.#declared, whoOf(call.who), ...argumentsOf(call, maxPauseMs)],
    ];
    return runScript(storeClient, { text: SCRIPT, sha1: SCRIPT_SHA1 }, key, args);
  }

  /** node-redis sends commands after a failed login. The login's error comes before, or in the same turn. */
  async #causeOf(error: unknown): Promise<unknown> {
    if (!/NOAUTH|unauthenticated/.test(messageOf(error))) return error;
    await nextTurn();
    const connectionError = this.#options.connection.error();
    return isPermanent(connectionError) ? connectionError : error;
  }
}
