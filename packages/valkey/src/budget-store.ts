import type { LeaseCall, SteadyTime } from '@ebb/core/bucket';
import type { BudgetSetup } from './budget-options.ts';
import { BUDGET_SCRIPT, BUDGET_SCRIPT_SHA1 } from './budget-script.ts';
import { type Connection, watchConnection } from './connection.ts';
import { runScript } from './store-client.ts';
import { noReply, withoutSecrets } from './store-error.ts';
import { timeLimit } from './time-limit.ts';

/** A reply of the script. */
export interface BudgetReply {
  /** Retries that were leased. */
  readonly granted: number;
  /** Retries that are left in the store. */
  readonly balance: number;
  /** How many processes called in the last windows. */
  readonly processes: number;
}

const SCRIPT = { text: BUDGET_SCRIPT, sha1: BUDGET_SCRIPT_SHA1 };
const whole = (number: number): string => number.toFixed(0);

/** Calls the script of one budget. */
export class BudgetStore {
  readonly #setup: BudgetSetup;
  readonly #time: SteadyTime;
  readonly #connection: Connection;
  /** How far the server's clock is ahead of ours, in milliseconds; `undefined` before the first reply. */
  #clockAheadMs: number | undefined;
  /** When the script last ran for this process, on the server's clock, in microseconds. */
  #calledAtUs = 0;

  constructor(setup: BudgetSetup, time: SteadyTime) {
    this.#setup = setup;
    this.#time = time;
    this.#connection = watchConnection(setup.client);
  }

  /** Rejects with the client's error, or if there is no reply in time. A later reply goes to `onLate`. */
  call(call: LeaseCall, onLate: (reply: BudgetReply) => void): Promise<BudgetReply> {
    const { timeoutMs } = this.#setup;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const onTimeout = (): void => {
        isLate = true;
        reject(noReply(timeoutMs, this.#connection.error()));
      };
      const stopTimer = timeLimit(this.#time.clock, timeoutMs, onTimeout, true);
      this.#send(call).then(
        (reply) => {
          stopTimer();
          if (isLate) onLate(reply);
          else resolve(reply);
        },
        (error) => {
          stopTimer();
          reject(withoutSecrets(error));
        },
      );
    });
  }

  /** Stops watching the client. */
  close(): void {
    this.#connection.release();
  }

  async #send({ deposits, returned, wanted }: LeaseCall): Promise<BudgetReply> {
    const { storeClient, key, ratio, reserve, windowMs, timeoutMs } = this.#setup;
    // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
    const deadlineMs =
      this.#clockAheadMs === undefined ? 0 : this.#time.now() + this.#clockAheadMs + 2 * timeoutMs;
    const terms = [Math.floor(ratio * 1e6), Math.floor(reserve * 1e6), Math.ceil(windowMs * 100)];
    const numbers = [...terms, Math.ceil(deadlineMs * 1_000), this.#calledAtUs, deposits, returned, wanted];
    return this.#read(await runScript(storeClient, SCRIPT, key, numbers.map(whole)));
  }

  #read(reply: unknown): BudgetReply {
    const numbers = Array.isArray(reply) ? reply.slice(0, 5).map(Number) : [];
    const [granted = 0, balance = 0, processes = 1, late = 0, nowUs = 0] = numbers;
    if (numbers.length < 5 || !numbers.every(Number.isFinite)) {
      throw new Error(`Unexpected reply from the store: ${JSON.stringify(reply)}`);
    }
    this.#connection.clearError();
    this.#clockAheadMs = nowUs / 1_000 - this.#time.now();
    if (late > 0) throw new Error('The call reached the store after its deadline');
    this.#calledAtUs = nowUs;
    return { granted, balance, processes };
  }
}
