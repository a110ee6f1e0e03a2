import type { Clock, Random } from '@ebb/core';
import { CLOCK_OPTION, check, type OptionTable, RANDOM_OPTION } from '@ebb/core/bucket';
import type { StoreObserver } from './events.ts';
import { checkClient, type ValkeyClient } from './store-client.ts';

/** The options that {@link valkeyBucket} and {@link valkeyBudget} have in common. */
export interface StoreOptions {
  /** A client of iovalkey, ioredis, redis or @valkey/valkey-glide, or any object with `evalsha` and `eval`. */
  readonly client: ValkeyClient;
  /** The name, without braces. */
  readonly key: string;
  /**
   * The beginning of the key in the store.
   * @default 'ebb:'
   */
  readonly prefix?: string | undefined;
  /**
   * How long the store may take to reply, in milliseconds. A longer call counts as an error.
   * @default 250
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest delay between two attempts to reach a lost store, in milliseconds.
   * @default 500
   */
  readonly retryMs?: number | undefined;
  /**
   * Called when the store is lost and when it is used again. An observer that throws or rejects is reported once and
   * changes nothing.
   * @default none
   */
  readonly onStoreEvent?: StoreObserver | undefined;
  /**
   * The source of time, for tests.
   * @default that of the system. A policy must have the same
   */
  readonly clock?: Clock | undefined;
  /**
   * The source of randomness, for tests.
   * @default Math.random
   */
  readonly random?: Random | undefined;
}

/** A client sends text as UTF-8, which has no lone surrogates: all of them would become the same character. */
export const checkUnicode = (name: string, value: string): void => {
  if (/\p{Cs}/u.test(value)) throw check.wrongRange(name, 'well-formed Unicode', value);
};

// The key is put in braces, which a cluster takes for a hash tag. Other braces would end that tag, or start one.
const withoutBraces: check.Check = (name, value) => {
  if (typeof value !== 'string') throw check.wrongType(name, 'a string', value);
  if (/[{}]/.test(value)) throw check.wrongRange(name, 'a string without braces', value);
  checkUnicode(name, value);
};

const checkKey: check.Check = (name, value) => {
  withoutBraces(name, value);
  if (value === '') throw check.wrongRange(name, 'a string that is not empty', value);
};

/** How the common options are read. */
export const STORE_OPTIONS: OptionTable<StoreOptions, 'onStoreEvent'> = {
  client: { check: checkClient, required: true },
  key: { check: checkKey, required: true },
  prefix: { check: withoutBraces, default: 'ebb:' },
  timeoutMs: { check: check.positive, default: 250 },
  retryMs: { check: check.positive, default: 500 },
  onStoreEvent: { check: check.callable },
  clock: CLOCK_OPTION,
  random: RANDOM_OPTION,
};
