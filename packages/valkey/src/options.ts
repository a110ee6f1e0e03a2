import { serverFeedback } from '@ebb/core';
import {
  type Complete,
  check,
  defaultCapacity,
  type OptionTable,
  type Quota,
  readOptions,
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
} from '@ebb/core/bucket';
import type { OnStoreError } from './events.ts';
import { limitsText, unitNames } from './store-call.ts';
import { type StoreClient, storeClientOf } from './store-client.ts';
import { checkUnicode, STORE_OPTIONS, type StoreOptions } from './store-options.ts';

/** How a process leases tokens or retries. */
export interface LeaseOptions {
  /**
   * How far ahead a process leases, in milliseconds. A longer time makes fewer calls, and leaves more tokens idle in
   * one process while another could use them. At least 1 for a bucket, and at most half the time in which it fills.
   * @default 100
   */
  readonly aheadMs?: number | undefined;
}

/** How many processes share a bucket. */
export interface ProcessesOptions {
  /** A whole number; 0 if it is not known. */
  readonly expected: number;
}

/** Options of {@link valkeyBucket}. Every process of the fleet passes the same key, rate and capacity. */
export interface ValkeyBucketOptions extends WaitingBucketOptions, StoreOptions {
  /** The name of the bucket, without braces. The key in the store is `prefix{key}`. */
  readonly key: string;
  /**
   * Tokens per second for the whole fleet: above 0, at most 1e9, and enough to fill the capacity within 1e8 s.
   * @default none; needed without `limits`
   */
  readonly refillPerSecond?: number | undefined;
  /**
   * The most tokens that accumulate, for the whole fleet: above 0, at most 1e9.
   * @default a fifth of `refillPerSecond`, rounded up
   */
  readonly capacity?: number | undefined;
  /**
   * For a bucket of several units, such as requests and tokens: the limit of each unit, by any name, in place of
   * `refillPerSecond` and `capacity`. A request takes its tokens from all units or from none, as in `quotaBucket` of
   * `@ebb/core`.
   * @default none
   */
  readonly limits?: Readonly<Record<string, Quota>> | undefined;
  /**
   * How a process leases tokens.
   * @default { aheadMs: 100 }
   */
  readonly lease?: LeaseOptions | undefined;
  /**
   * How requests are served while the store is unreachable. `'local'`: each process spends its share of the rate,
   * starting from empty. `'open'`: every request gets a grant, which does not conform. `'closed'`: every request is
   * rejected.
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError | undefined;
  /**
   * The part of the quota that this process has without the store, above 0 and at most 1. Without it a process that
   * never reached the store rejects every request, and two minutes after its last request a process has at most a 64th, or its part of
   * `processes.expected`. A program that is alone sets 1.
   * @default the share that the store has recorded for this process
   */
  readonly localShare?: number | undefined;
  /**
   * How many processes there will be, if that is known. A starting process then has its equal part from its first call on; otherwise at
   * most half of the part that no other process has recorded, until the other processes have made room. 0 is for any number.
   * @default { expected: 0 }
   */
  readonly processes?: ProcessesOptions | undefined;
  /**
   * How long requests wait for a store that was never reached, from the first call on, in milliseconds, but never
   * longer than their own `maxWaitMs`. If requests can go without the store (`'open'`, and `'local'` with a
   * `localShare`), or the error is permanent, such as a wrong password, `timeoutMs` applies instead.
   * @default 10_000, or the longest wait of the first request, if longer
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The longest delay between two attempts to reach a lost store, in milliseconds. The first delays are shorter, and
   * each is random within its second half.
   * @default 500
   */
  readonly retryMs?: number | undefined;
  /**
   * The requests to pause when a response asks for a pause. `'origin'`: requests of this process to the origin of the response; requests to
   * other origins go on, and other processes get the server's response themselves. `'bucket'`: all requests of the fleet, for one quota
   * behind the bucket.
   * @default 'origin'
   */
  readonly feedbackScope?: WaitingBucketOptions['feedbackScope'];
}

/** Options without a default. */
type Unset = 'localShare' | 'connectTimeoutMs' | 'onStoreEvent' | 'refillPerSecond' | 'capacity' | 'limits';

/** Validated options with all defaults applied. `key` is the whole key in the store. */
export interface FleetSetup
  extends Omit<
    Complete<ValkeyBucketOptions, Unset>,
    'lease' | 'prefix' | 'refillPerSecond' | 'capacity' | 'limits'
  > {
  /** The limit of each unit. The store may say that others hold: then these change. */
  readonly limits: Quota[];
  /** The names of several units. */
  readonly names: readonly string[] | undefined;
  /** The names, and the limits that the program has given, as the script reads them. */
  readonly unitNames: string;
  readonly declared: string;
  readonly storeClient: StoreClient;
  /** How far ahead the program wants to lease, in milliseconds. */
  readonly wantedAheadMs: number;
  /** The fleet that the buckets of many keys share; else a bucket is counted for itself. */
  readonly shared?: SharedFleet | undefined;
  /** The state of the bucket that was kept since its last request. */
  readonly rested?: IdleState | undefined;
}

/**
 * The state to keep of a bucket without requests: times of the bucket and the clock, and six numbers of each unit. An object for each
 * bucket would take several times as much memory.
 */
export type IdleState = readonly number[];

/** The state of the fleet that the buckets of many keys share. */
export interface SharedFleet {
  /** The part of each quota that this process has without the store. */
  share(): number;
  /** How many processes there are; 0 until the store has said so. */
  processes(): number;
  /** A request needs the store. */
  used(): void;
  /** Why the store is lost; `undefined` while it is there. */
  error(): unknown;
}

const checkAheadMs: check.Check = (name, value) => {
  check.positive(name, value);
  // No timer is shorter, and each request would make a call.
  if ((value as number) < 1) throw check.wrongRange(name, 'a number ≥ 1', value);
};

const LEASE_OPTIONS: OptionTable<LeaseOptions> = {
  aheadMs: { check: checkAheadMs, default: 100 },
};

const PROCESSES_OPTIONS: OptionTable<ProcessesOptions> = {
  expected: { check: check.wholeNumber, required: true },
};

const QUOTA: OptionTable<Quota> = {
  refillPerSecond: { check: check.refillRate, required: true },
  capacity: { check: check.capacity, required: true },
};

/** Rejects `chargeOn`, which holds tokens back in memory: leased tokens have left the store, and other processes cannot hold them back. */
function mustChargeOnGrant(name: string, limit: unknown): void {
  const { chargeOn } = Object(limit) as { readonly chargeOn?: unknown };
  if (chargeOn === undefined) return;
  const takes =
    'left out, because a fleet charges tokens when they are leased; `settle` gives back what was not used';
  throw check.wrongType(`${name}chargeOn`, takes, chargeOn);
}

const checkLimits: check.Check = (name, limits) => {
  if (typeof limits !== 'object' || limits === null || Object.keys(limits).length === 0)
    throw check.wrongType(name, 'an object with a limit for each unit', limits);
  for (const [unit, limit] of Object.entries(limits)) {
    checkUnicode(`${name}: the name of a unit`, unit);
    mustChargeOnGrant(`${name}.${unit}.`, limit);
    readOptions(`${name}.${unit}`, limit as Quota, QUOTA);
  }
};

const BUCKET_OPTIONS: OptionTable<ValkeyBucketOptions, Unset> = {
  ...WAITING_BUCKET_OPTIONS,
  feedback: { ...WAITING_BUCKET_OPTIONS.feedback, default: serverFeedback },
  ...STORE_OPTIONS,
  refillPerSecond: { check: check.refillRate },
  capacity: { check: check.capacity },
  limits: { check: checkLimits },
  lease: {
    check: (name, lease) => void readOptions(name, lease as LeaseOptions, LEASE_OPTIONS),
    default: {},
  },
  onStoreError: { check: check.oneOf('local', 'open', 'closed'), default: 'local' },
  localShare: { check: check.share },
  processes: {
    check: (name, value) => void readOptions(name, value as ProcessesOptions, PROCESSES_OPTIONS),
    default: { expected: 0 },
  },
  connectTimeoutMs: { check: check.notNegative },
};

/** Beyond this, times in whole microseconds are not exact. */
const LONGEST_FILL_SECONDS = 1e8;

/** The limits of the units; of a bucket of one unit its own. */
function limitsOf(options: ValkeyBucketOptions): [names: string[] | undefined, limits: Quota[]] {
  const { limits, refillPerSecond, capacity } = options;
  if (limits !== undefined) {
    const beside = refillPerSecond ?? capacity;
    const name = refillPerSecond === undefined ? 'capacity' : 'refillPerSecond';
    if (beside !== undefined)
      throw check.wrongType(`valkeyBucket: ${name}`, 'undefined beside `limits`', beside);
    return [Object.keys(limits), Object.values(limits).map((limit) => ({ ...limit }))];
  }
  check.refillRate('valkeyBucket: refillPerSecond', refillPerSecond);
  const rate = refillPerSecond as number;
  const one = { refillPerSecond: rate, capacity: capacity ?? defaultCapacity({ refillPerSecond: rate }) };
  return [undefined, [one]];
}

/** @param name what the name of the rate begins with */
export function checkFill(name: string, { capacity, refillPerSecond }: Quota): void {
  if (capacity / refillPerSecond <= LONGEST_FILL_SECONDS) return;
  const least = capacity / LONGEST_FILL_SECONDS;
  const takes = `at least ${least}, so that the capacity, ${capacity}, fills in ${LONGEST_FILL_SECONDS} seconds`;
  throw check.wrongRange(`${name}refillPerSecond`, takes, refillPerSecond);
}

/** @throws TypeError, RangeError if an option is invalid; the message names it */
export function fleetSetup(options: ValkeyBucketOptions): FleetSetup {
  mustChargeOnGrant('valkeyBucket: ', options);
  const { lease, prefix, ...setup } = readOptions('valkeyBucket', options, BUCKET_OPTIONS);
  const [names, limits] = limitsOf(options);
  limits.forEach((limit, unit) => {
    checkFill(names === undefined ? 'valkeyBucket: ' : `valkeyBucket: limits.${names[unit]}.`, limit);
  });
  const wantedAheadMs = readOptions('lease', lease, LEASE_OPTIONS).aheadMs;
  return {
    ...setup,
    ...{ limits, names, wantedAheadMs, unitNames: unitNames(names), declared: limitsText(limits) },
    key: `${prefix}{${setup.key}}`,
    storeClient: storeClientOf(setup.client),
  };
}
