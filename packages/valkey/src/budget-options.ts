import type { Clock, Random } from '@ebb/core';
import { check, systemClock, systemRandom } from '@ebb/core/bucket';
import type { StoreObserver } from './events.ts';
import type { LeaseOptions } from './options.ts';
import { type StoreClient, storeClientOf, type ValkeyClient } from './store-client.ts';

/** What {@link valkeyBudget} takes. Every process of the fleet gives the same key, ratio, reserve and window. */
export interface ValkeyBudgetOptions {
  /** A client of iovalkey, ioredis, redis or @valkey/valkey-glide, or anything with its two functions. */
  readonly client: ValkeyClient;
  /** The name of the budget. In the store it is `prefix{key}:budget`. */
  readonly key: string;
  /**
   * Retries for each request that went well, at most 1,000.
   * @default 0.2
   */
  readonly ratio?: number | undefined;
  /**
   * Retries that the whole fleet has in any case, at most 1,000,000. What is spent of them comes back with successes
   * alone, or after six windows in which no process uses the budget.
   * @default 10
   */
  readonly reserve?: number | undefined;
  /**
   * How long a success counts, and a leased retry is good, in milliseconds: from 10 to 86,400,000.
   * @default 10_000
   */
  readonly windowMs?: number | undefined;
  /** @default 'ebb:' */
  readonly prefix?: string | undefined;
  /**
   * `aheadMs`: the shortest time between two calls of this process to the store, in milliseconds. Never more than a
   * tenth of the window.
   * @default { aheadMs: 100 }
   */
  readonly lease?: LeaseOptions | undefined;
  /**
   * The reserve of this process alone while the store cannot be asked. It may be less than one: see `retryBudget`.
   * @default `reserve` divided by the most processes that the store counted in the last twelve windows; 0.1, or the
   * reserve if that is less, in a process that never reached the store
   */
  readonly localReserve?: number | undefined;
  /**
   * How long the store may take to answer, in milliseconds.
   * @default 250
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest time between two tries to reach a store that is lost, in milliseconds, as long as requests are made.
   * @default 500
   */
  readonly retryMs?: number | undefined;
  /**
   * Called when the store is lost, and when the budget is shared again. What it throws, or rejects with, is reported
   * once and changes nothing.
   */
  readonly onStoreEvent?: StoreObserver | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default Math.random */
  readonly random?: Random | undefined;
}

/** The options with every default in its place. */
export interface BudgetSetup {
  readonly client: ValkeyClient;
  readonly port: StoreClient;
  readonly key: string;
  readonly ratio: number;
  readonly reserve: number;
  readonly windowMs: number;
  readonly aheadMs: number;
  readonly localReserve: number | undefined;
  readonly timeoutMs: number;
  readonly retryMs: number;
  readonly onStoreEvent: StoreObserver | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

function between(least: number, most: number): check.Check {
  return (name, value) => {
    check.notNegative(name, value);
    if ((value as number) < least || (value as number) > most) {
      throw check.wrongRange(name, `a number from ${least} to ${most}`, value);
    }
  };
}

// The key stands in braces, so that a cluster sees a hash tag: others would end or open one.
const withoutBraces: check.Check = (name, value) => {
  if (typeof value !== 'string') throw check.wrongType(name, 'a text', value);
  if (/[{}]/.test(value)) throw check.wrongRange(name, 'a text without braces', value);
};

const key: check.Check = (name, value) => {
  withoutBraces(name, value);
  if (value === '') throw check.wrongRange(name, 'a text that is not empty', value);
};

const CHECKS: Readonly<Record<keyof ValkeyBudgetOptions, check.Check>> = {
  client: () => {},
  key,
  // Beyond these, whole millionths of a retry are not exact.
  ratio: between(0, 1_000),
  reserve: between(0, 1_000_000),
  windowMs: between(10, 86_400_000),
  prefix: withoutBraces,
  lease: (name, value) => check.checkOptions(name, value as object, { aheadMs: check.positive }),
  localReserve: check.notNegative,
  timeoutMs: check.positive,
  retryMs: check.positive,
  onStoreEvent: check.callable,
  clock: check.having('a clock', 'now', 'schedule'),
  random: check.callable,
};

/** @throws TypeError, RangeError for a wrong option */
export function budgetSetup(options: ValkeyBudgetOptions): BudgetSetup {
  check.checkOptions('valkeyBudget', options, CHECKS);
  const port = storeClientOf(options.client);
  key('valkeyBudget: key', options.key);
  const {
    ratio = 0.2,
    reserve = 10,
    windowMs = 10_000,
    prefix = 'ebb:',
    lease = {},
    localReserve,
    timeoutMs = 250,
    retryMs = 500,
    onStoreEvent,
    clock = systemClock,
    random = systemRandom,
  } = options;
  return {
    client: options.client,
    port,
    // Another key than that of a bucket of the same name, in the same slot.
    key: `${prefix}{${options.key}}:budget`,
    ratio,
    reserve,
    windowMs,
    aheadMs: Math.min(lease.aheadMs ?? 100, windowMs / 10),
    localReserve,
    timeoutMs,
    retryMs,
    onStoreEvent,
    clock,
    random,
  };
}
