import type { RetryBudget } from '@ebb/core';
import { type Complete, check, type OptionTable, readOptions } from '@ebb/core/bucket';
import type { LeaseOptions } from './options.ts';
import { type StoreClient, storeClientOf } from './store-client.ts';
import { STORE_OPTIONS, type StoreOptions } from './store-options.ts';

/** Options of {@link valkeyBudget}. Every process of the fleet passes the same key, ratio, reserve and window. */
export interface ValkeyBudgetOptions extends StoreOptions {
  /** The name of the budget, without braces. The key in the store is `prefix{key}:budget`. */
  readonly key: string;
  /**
   * Retries for each request that succeeds, from 0 to 1,000.
   * @default 0.2
   */
  readonly ratio?: number | undefined;
  /**
   * Retries that the whole fleet always has, from 0 to 1,000,000. Spent ones come back with successes, or after six
   * windows in which no process uses the budget.
   * @default 10
   */
  readonly reserve?: number | undefined;
  /**
   * How long a success counts, and how long a leased retry is valid, in milliseconds: from 10 to 86,400,000.
   * @default 10_000
   */
  readonly windowMs?: number | undefined;
  /**
   * `aheadMs`: the shortest time between two calls of this process to the store, in milliseconds; above 0, and at
   * most a tenth of the window.
   * @default { aheadMs: 100 }
   */
  readonly lease?: LeaseOptions | undefined;
  /**
   * The reserve of this process alone while the store is unreachable; less than one is allowed, see `retryBudget`. The default is the
   * unused rest of `reserve` / the highest number of processes in the store's counts of the last two hours; an old count makes the default
   * smaller. A process that never reached the store has a default of 0.1, or `reserve` if `reserve` is less.
   * @default this process's part of the unused rest of `reserve`
   */
  readonly localReserve?: number | undefined;
  /**
   * How long a store that was never reached may take before it counts as lost, from the first call on, in milliseconds. The
   * reserve of a process that never reached the store applies after `timeoutMs`. If there is a `localReserve`, or the error is
   * permanent, such as a wrong password, `timeoutMs` applies to both.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The longest delay between two attempts to reach a lost store, in milliseconds, while requests are made.
   * @default 500
   */
  readonly retryMs?: number | undefined;
}

/** The state of a shared budget, as far as this process knows it. */
export interface ValkeyBudgetStats {
  /** `'local'` while the store is unreachable. */
  readonly mode: 'shared' | 'local';
  /** Retries that this process has leased and not spent. */
  readonly leased: number;
  /** Retries that were left in the store at the last reply. */
  readonly inStore: number;
  /** The most processes that the store counted in the last two hours; 0 before the first reply. */
  readonly processes: number;
  /** How often this process has called the store. */
  readonly calls: number;
}

/** A retry budget that all processes with the same key share. */
export interface ValkeyBudget extends RetryBudget {
  begin(): void;
  end(): void;
  refund(): void;
  stats(): ValkeyBudgetStats;
  /**
   * Reports the last successes to the store and returns unspent leases. From now on no retry is allowed. Never rejects, and ends within
   * twice `timeoutMs`. The client stays open. Later reports of requests under way are sent at once. Reports that cannot be sent are lost:
   * the observer gets an event `'lost'`.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options without a default. */
type Unset = 'localReserve' | 'onStoreEvent';

/** Validated options with all defaults applied. `key` is the whole key in the store. */
export interface BudgetSetup extends Omit<Complete<ValkeyBudgetOptions, Unset>, 'lease' | 'prefix'> {
  readonly storeClient: StoreClient;
  readonly aheadMs: number;
}

function between(least: number, most: number): check.Check {
  return (name, value) => {
    check.notNegative(name, value);
    if ((value as number) < least || (value as number) > most) {
      throw check.wrongRange(name, `a number from ${least} to ${most}`, value);
    }
  };
}

const LEASE_OPTIONS: OptionTable<LeaseOptions> = {
  aheadMs: { check: check.positive, default: 100 },
};

const BUDGET_OPTIONS: OptionTable<ValkeyBudgetOptions, Unset> = {
  ...STORE_OPTIONS,
  // Beyond these bounds, whole millionths of a retry are not exact.
  ratio: { check: between(0, 1_000), default: 0.2 },
  reserve: { check: between(0, 1_000_000), default: 10 },
  windowMs: { check: between(10, 86_400_000), default: 10_000 },
  lease: {
    check: (name, lease) => void readOptions(name, lease as LeaseOptions, LEASE_OPTIONS),
    default: {},
  },
  localReserve: { check: check.notNegative },
  connectTimeoutMs: { check: check.notNegative, default: 10_000 },
};

/** @throws TypeError, RangeError if an option is invalid; the message names it */
export function budgetSetup(options: ValkeyBudgetOptions): BudgetSetup {
  const { lease, prefix, ...setup } = readOptions('valkeyBudget', options, BUDGET_OPTIONS);
  return {
    ...setup,
    // A bucket of the same name has another key, in the same slot.
    key: `${prefix}{${setup.key}}:budget`,
    storeClient: storeClientOf(setup.client),
    aheadMs: Math.min(readOptions('lease', lease, LEASE_OPTIONS).aheadMs, setup.windowMs / 10),
  };
}
