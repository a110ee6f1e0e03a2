import type { LeaseCall, SteadyTime } from '@ebb/core/bucket';
import type { BudgetSetup } from './budget-options.ts';
import { BUDGET_SCRIPT, BUDGET_SCRIPT_SHA1 } from './budget-script.ts';
import { type Connection, watchConnection } from './connection.ts';
import { readNumbers } from './store-call.ts';
import { inTime, runScript } from './store-client.ts';

/** A reply of the script. */
export interface BudgetReply {
  /** Retries that were leased. */
  readonly granted: number;
  /** Retries that are left in the store. */
  readonly balance: number;
  /** How many processes called in the last hours. */
  readonly processes: number;
  /** The part of the budget that is neither leased nor spent, from 0 to 1. */
  readonly free: number;
}

interface Hooks {
  /** How much longer to wait for the first connection, in milliseconds. `error` may be the reason for the silence. */
  readonly extraWaitMs: (error: unknown) => number;
  /** Called for a reply that comes after the call has timed out. */
  readonly onLate: (reply: BudgetReply, sentAtMs: number) => void;
}

const SCRIPT = { text: BUDGET_SCRIPT, sha1: BUDGET_SCRIPT_SHA1 };
const whole = (number: number): string => number.toFixed(0);

/** Calls the script of one budget. */
export class BudgetStore {
  readonly #setup: BudgetSetup;
  readonly #time: SteadyTime;
  readonly #hooks: Hooks;
  readonly #connection: Connection;
  /** How far the server's clock is ahead of ours, in milliseconds; `undefined` before the first reply. */
  #clockAheadMs: number | undefined;
  /** When the script last ran for this process, on the server's clock, in microseconds. */
  #calledAtUs = 0;

  constructor(setup: BudgetSetup, time: SteadyTime, hooks: Hooks) {
    this.#setup = setup;
    this.#time = time;
    this.#hooks = hooks;
    this.#connection = watchConnection(setup.client);
  }

  /** Rejects with the client's error, or if there is no reply in time. */
  async call(call: LeaseCall): Promise<BudgetReply> {
    const { extraWaitMs, onLate } = this.#hooks;
    const sentAtMs = this.#time.now();
    const { reply, error, late } = await inTime(() => this.#send(call), {
      ...{ time: this.#time, connection: this.#connection, timeoutMs: this.#setup.timeoutMs },
      ...{ sentAtMs, extraMs: extraWaitMs, inBackground: true },
    });
    void late?.then((replied) => replied && onLate(replied, sentAtMs));
    if (reply === undefined) throw error;
    return reply;
  }

  /** Stops watching the client. */
  close(): void {
    this.#connection.release();
  }

  async #send(call: LeaseCall): Promise<BudgetReply> {
    const { storeClient, key, ratio, reserve, windowMs, timeoutMs } = this.#setup;
    // A call that was queued until no one waits for its reply must do nothing, so it carries a deadline.
    const deadlineMs =
      this.#clockAheadMs === undefined ? 0 : this.#time.now() + this.#clockAheadMs + 2 * timeoutMs;
    const terms = [Math.floor(ratio * 1e6), Math.floor(reserve * 1e6), Math.ceil(windowMs * 100)];
    const { deposits, returned, wanted } = call;
    const numbers = [...terms, Math.ceil(deadlineMs * 1_000), this.#calledAtUs, deposits, returned, wanted];
    return this.#read(await runScript(storeClient, SCRIPT, key, numbers.map(whole)), wanted);
  }

  #read(reply: unknown, wanted: number): BudgetReply {
    const [granted, balance, processes, late, nowUs, freeMicro] = readNumbers(reply, [
      [0, wanted],
      [0],
      [0],
      [0, 1],
      [0],
      [0, 1e6],
    ]) as [number, number, number, number, number, number];
    this.#connection.clearError();
    this.#clockAheadMs = nowUs / 1_000 - this.#time.now();
    if (late > 0) throw new Error('The call reached the store after its deadline');
    this.#calledAtUs = nowUs;
    return { granted, balance, processes: Math.max(1, processes), free: freeMicro / 1e6 };
  }
}
