import { nextTurn, type SteadyTime } from '@ebb/core/bucket';
import type { Connection } from './connection.ts';
import { runScript } from './run-script.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';
import type { StoreClient } from './store-client.ts';
import { InvalidReply, isPermanent, messageOf, noReply, withoutSecrets } from './store-error.ts';
import { timeLimit } from './time-limit.ts';

/** Asks for tokens, in millionths. */
export interface TokenLeaseCall {
  readonly mode: 'lease';
  readonly minAmount: number;
  /** The most of those that are there. */
  readonly maxAvailable: number;
  /** The most of those that are yet to come. */
  readonly maxFuture: number;
  /** How long the first may wait for `least`, in milliseconds; `Infinity` for any time. */
  readonly withinMs: number;
}

/** What the script is asked to do. Tokens are in millionths. */
export type StoreCall =
  | TokenLeaseCall
  | { readonly mode: 'refund'; readonly amount: number; readonly held: string }
  | { readonly mode: 'spend'; readonly amount: number }
  | { readonly mode: 'pause'; readonly durationMs: number }
  | { readonly mode: 'unpause' }
  | { readonly mode: 'resume'; readonly outageMs: number; readonly handoverMs: number }
  | { readonly mode: 'peek' };

/** What it answers. All times are from now, in milliseconds. */
export interface Reply {
  /** Millionths of a token that were leased, charged or given back; of others, whether it was done. */
  readonly granted: number;
  /** How long until it is worth asking again. */
  readonly waitMs: number;
  /** When the bucket is empty, or has been; then tokens come in. */
  readonly emptyInMs: number;
  readonly pausedMs: number;
  /** When it replied, on its own clock in microseconds. */
  readonly atUs: number;
  /** What those take at a time who wait, on the average, in millionths of a token; 0 when no one did yet. */
  readonly averageLease: number;
  /** How many processes took tokens lately. */
  readonly processes: number;
  /** When the bucket serves again after an outage; below 0: how long it has, since the outage began. */
  readonly resumeInMs: number;
  /** The state of the bucket, to be handed in again. */
  readonly state: string;
  /** It came too late to be done. */
  readonly tooLate: boolean;
  /** The store has lost the bucket since its last reply. */
  readonly lostBucket: boolean;
}

/** What a state says; its numbers are explained beside the script. */
interface ParsedState {
  readonly epoch: string;
  /** Until when the store has to keep it, on its own clock in microseconds. */
  readonly keptUntilUs: number;
}

const GIVEN_UP_MS = 10_000;

const wholeUs = (ms: number): string => Math.ceil(ms * 1_000).toFixed(0);

function argumentsOf(call: StoreCall): string[] {
  switch (call.mode) {
    case 'lease':
      return [
        ...[`${call.minAmount}`, `${call.maxAvailable}`, '', `${call.maxFuture}`],
        call.withinMs === Number.POSITIVE_INFINITY ? '-1' : wholeUs(Math.max(0, call.withinMs)),
      ];
    case 'refund':
      return [`${call.amount}`, '0', call.held, '0', '0'];
    case 'spend':
      return [`${call.amount}`, '0', '', '0', '0'];
    case 'pause':
      return [wholeUs(call.durationMs), '0', '', '0', '0'];
    case 'resume':
      return [wholeUs(call.outageMs), wholeUs(call.handoverMs), '', '0', '0'];
    case 'unpause':
    case 'peek':
      return ['0', '0', '', '0', '0'];
  }
}

interface StoreOptions {
  readonly port: StoreClient;
  readonly connection: Connection;
  readonly key: string;
  readonly refillPerSecond: number;
  /** In millionths. */
  readonly capacity: number;
  readonly timeoutMs: number;
  readonly time: SteadyTime;
  /** How much longer to wait when there is no reply in time, in milliseconds. `connectionError` is what may be the reason. */
  readonly extraWaitMs: (connectionError: unknown) => number;
  /** Is told of what came after the time limit: an answer, or nothing for an error. */
  readonly onLate: (call: StoreCall, reply: Reply | undefined) => void;
}

/** One bucket in the store, as this process knows it. */
export class Store {
  readonly #options: StoreOptions;
  /** The last state that was seen, and when that was on the server's clock, in microseconds. */
  #state = '';
  #stateAtUs = 0;
  #parsed: ParsedState | undefined;
  /** When tokens were last leased, on the server's clock. */
  #leasedAtUs = 0;
  /** What the server's clock is ahead of ours. */
  #aheadMs: number | undefined;
  /** When each of the calls was sent that have not been answered, whether we still wait for them or not. */
  readonly #unanswered = new Set<{ readonly sentAtMs: number }>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** How many calls are unanswered. What has been for long never will be. */
  unansweredCalls(nowMs: number): number {
    for (const call of this.#unanswered)
      if (nowMs - call.sentAtMs > GIVEN_UP_MS) this.#unanswered.delete(call);
    return this.#unanswered.size;
  }

  /** Rejects with the client's error, or when there is no answer in time. */
  call(call: StoreCall): Promise<Reply> {
    const { time, timeoutMs, onLate, extraWaitMs, connection } = this.#options;
    return new Promise((resolve, reject) => {
      let timedOut = false;
      const sent = { sentAtMs: time.now() };
      this.#unanswered.add(sent);
      const onTimeout = (): void => {
        const connectionError = connection.error();
        const leftMs = Math.min(extraWaitMs(connectionError), timeoutMs);
        if (leftMs > 0) {
          stopTimer = timeLimit(time.clock, leftMs, onTimeout);
          return;
        }
        timedOut = true;
        reject(noReply(time.now() - sent.sentAtMs, connectionError));
      };
      let stopTimer = timeLimit(time.clock, timeoutMs, onTimeout);
      const settled = (): void => {
        this.#unanswered.delete(sent);
        stopTimer();
      };
      this.#send(call).then(
        (reply) => {
          settled();
          // Answers come in order: what was sent before and has none gets none.
          for (const other of this.#unanswered)
            if (other.sentAtMs < sent.sentAtMs) this.#unanswered.delete(other);
          if (timedOut) onLate(call, reply);
          else resolve(reply);
        },
        (error) => {
          settled();
          if (timedOut) onLate(call, undefined);
          else reject(withoutSecrets(error));
        },
      );
    });
  }

  async #send(call: StoreCall): Promise<Reply> {
    const { port, key, refillPerSecond, capacity, timeoutMs, time } = this.#options;
    // A call that lay in some queue until nobody waits for its answer shall do nothing.
    const untilMs = this.#aheadMs === undefined ? 0 : time.now() + this.#aheadMs + 2 * timeoutMs;
    const common = [
      `${refillPerSecond}`,
      `${capacity}`,
      this.#state,
      wholeUs(untilMs),
      `${this.#leasedAtUs}`,
    ];
    const args = [call.mode, ...common, ...argumentsOf(call)];
    try {
      return this.#read(call, await runScript(port, { text: SCRIPT, sha1: SCRIPT_SHA1 }, key, args));
    } catch (error) {
      throw await this.#reasonOf(error);
    }
  }

  #parse(state: string): ParsedState | undefined {
    if (state === '') return undefined;
    const [empty, , paused, , epoch = '', , resumed] = state.split(' ');
    const { capacity, refillPerSecond } = this.#options;
    const fullAtUs = Number(empty) + capacity / refillPerSecond;
    return { epoch, keptUntilUs: Math.max(fullAtUs, Number(paused), Number(resumed)) + 1e6 };
  }

  /** node-redis sends commands even if the login failed. The reason is reported before, or in the same turn. */
  async #reasonOf(error: unknown): Promise<unknown> {
    if (!/NOAUTH|unauthenticated/.test(messageOf(error))) return error;
    await nextTurn();
    const connectionError = this.#options.connection.error();
    return isPermanent(connectionError) ? connectionError : error;
  }

  #read(call: StoreCall, answer: unknown): Reply {
    const numbers = Array.isArray(answer) ? answer.slice(0, 7).map(Number) : [];
    const [granted = 0, waitUs = 0, emptyInUs = 0, pausedUs = 0, nowUs = 0, processes = 1, resumeUs = 0] =
      numbers;
    if (numbers.length < 7 || !numbers.every(Number.isFinite)) {
      throw new InvalidReply(`The store returned ${JSON.stringify(answer)}, which the script does not`);
    }
    this.#options.connection.clearError();
    this.#aheadMs = nowUs / 1_000 - this.#options.time.now();
    const state = String((answer as unknown[])[7]);
    let lostBucket = false;
    if (nowUs >= this.#stateAtUs || this.#stateAtUs - nowUs > 1e6) {
      const parsed = this.#parse(state);
      const before = this.#parsed;
      lostBucket = before !== undefined && nowUs < before.keptUntilUs && parsed?.epoch !== before.epoch;
      this.#parsed = parsed;
      this.#state = state;
      this.#stateAtUs = nowUs;
    }
    if (call.mode === 'lease' && granted > 0) this.#leasedAtUs = nowUs;
    return {
      granted,
      waitMs: waitUs / 1_000,
      emptyInMs: emptyInUs / 1_000,
      pausedMs: pausedUs / 1_000,
      atUs: nowUs,
      averageLease: Number(state.split(' ')[9] ?? 0),
      processes,
      resumeInMs: resumeUs / 1_000,
      state,
      lostBucket,
      tooLate: granted === 0 && (call.mode === 'resume' || (call.mode === 'lease' && waitUs === 0)),
    };
  }
}
