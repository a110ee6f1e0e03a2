import type { Clock, Random } from '@ebb/core';
import { CLOCK_OPTION, check, type OptionTable, RANDOM_OPTION } from '@ebb/core/bucket';
import type { StoreObserver } from './events.ts';
import { checkClient, type ValkeyClient } from './store-client.ts';

/** The options that a bucket and a budget have in common. */
interface StoreOptions {
  readonly client: ValkeyClient;
  readonly key: string;
  readonly prefix?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retryMs?: number | undefined;
  readonly onStoreEvent?: StoreObserver | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

// The key is put in braces, which a cluster takes for a hash tag. Other braces would end that tag, or start one.
const withoutBraces: check.Check = (name, value) => {
  if (typeof value !== 'string') throw check.wrongType(name, 'a string', value);
  if (/[{}]/.test(value)) throw check.wrongRange(name, 'a string without braces', value);
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
