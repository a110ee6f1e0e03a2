import { type Clock, type Random, serverFeedback } from '@ebb/core';
import {
  check,
  type FeedbackScope,
  type NonConforming,
  type ReadFeedback,
  systemClock,
  systemRandom,
  WAITING_CHECKS,
  type WaitingOptions,
  type WaitingSetup,
  waitingSetup,
} from '@ebb/core/bucket';
import type { OnStoreError, StoreObserver } from './events.ts';
import { type StoreClient, storeClientOf, type ValkeyClient } from './store-client.ts';

/** How tokens are borrowed. */
export interface LeaseOptions {
  /**
   * For how long a process borrows tokens in advance, in milliseconds. A longer time makes fewer calls, and
   * more tokens that wait in a process while another could use them. At least 1; never more than half of the time
   * in which the bucket fills.
   * @default 100
   */
  readonly aheadMs?: number | undefined;
}

/** What {@link valkeyBucket} takes. Every process of the fleet gives the same key, rate and capacity. */
export interface ValkeyBucketOptions extends WaitingOptions {
  /** A client of iovalkey, ioredis, redis or @valkey/valkey-glide, or anything with its two functions. */
  readonly client: ValkeyClient;
  /** The name of the bucket. In the store it is `prefix{key}`. */
  readonly key: string;
  /** Tokens that come in each second, for the whole fleet. */
  readonly refillPerSecond: number;
  /**
   * The most tokens that gather, for the whole fleet.
   * @default a fifth of a second of refill, at least 1
   */
  readonly capacity?: number | undefined;
  /** @default 'ebb:' */
  readonly prefix?: string | undefined;
  readonly lease?: LeaseOptions | undefined;
  /**
   * What holds while the store cannot be asked. `'local'`: each process lets its share of the rate go, from
   * empty. `'open'`: everything goes, with a mark. `'closed'`: nothing goes; asking rejects.
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError | undefined;
  /**
   * The share of the quota that this process has without the store, above 0 and at most 1. A process that never
   * reached the store, and was given no share, lets nothing go.
   * @default one part in as many processes as the store counted at most in the last minute
   */
  readonly localShare?: number | undefined;
  /**
   * How long the store may take to answer, in milliseconds.
   * @default 250
   */
  readonly timeoutMs?: number | undefined;
  /**
   * How long to wait for a store that was never reached, from the first call on, in milliseconds. Requests wait
   * no longer than their own `maxWaitMs`. It does not apply if requests can go without the store (`'open'`, and
   * `'local'` with a `localShare`), nor to a permanent error such as a wrong password: then it is `timeoutMs`.
   * @default 10_000, or as long as the first in line may wait, if that is longer
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * The longest time between two tries to reach a store that is lost, in milliseconds. The first come sooner,
   * and each at random within the second half of its time.
   * @default 500
   */
  readonly retryMs?: number | undefined;
  /** Is told when the store is lost, and when the bucket is shared again. */
  readonly onStoreEvent?: StoreObserver | undefined;
  /**
   * What becomes of a request when the tokens are not there.
   * @default 'delay'
   */
  readonly nonConforming?: NonConforming | undefined;
  /**
   * Reads from each response how long the server wants to be left alone, and pauses for it. `false` ignores it.
   * @default serverFeedback
   */
  readonly feedback?: ReadFeedback | false | undefined;
  /**
   * What a pause holds for that a response asks for. `'origin'`: this process leaves the origin alone that asked,
   * while requests to others go on with the tokens that they share; other processes hear of it from the server
   * themselves. `'bucket'`: the whole fleet pauses, because the quota behind the bucket is one.
   * @default 'origin'
   */
  readonly feedbackScope?: FeedbackScope | undefined;
  /**
   * The longest pause that a response can cause, in milliseconds.
   * @default 600_000
   */
  readonly maxPauseMs?: number | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default Math.random */
  readonly random?: Random | undefined;
}

/** The options with every default in its place. */
export interface FleetSetup extends WaitingSetup {
  readonly client: ValkeyClient;
  readonly port: StoreClient;
  readonly key: string;
  readonly refillPerSecond: number;
  readonly capacity: number;
  readonly aheadMs: number;
  /** For how long those who wait lease in advance, all processes together, in milliseconds. */
  readonly queueAheadMs: number;
  /** How late waiters may spend what they leased, in milliseconds: as long as the bucket would have kept it. */
  readonly graceMs: number;
  readonly onStoreError: OnStoreError;
  readonly localShare: number | undefined;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number | undefined;
  readonly retryMs: number;
  readonly onStoreEvent: StoreObserver | undefined;
  readonly nonConforming: NonConforming;
  readonly feedback: ReadFeedback | false;
  readonly feedbackScope: FeedbackScope;
  readonly maxPauseMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

const text: check.Check = (name, value) => {
  if (typeof value !== 'string') throw check.wrongType(name, 'a text', value);
};

// The key stands in braces, so that a cluster sees a hash tag: others would end or open one.
const withoutBraces: check.Check = (name, value) => {
  text(name, value);
  if (/[{}]/.test(value as string)) throw check.wrongRange(name, 'a text without braces', value);
};

const key: check.Check = (name, value) => {
  withoutBraces(name, value);
  if (value === '') throw check.wrongRange(name, 'a text that is not empty', value);
};

const share: check.Check = (name, value) => {
  check.positive(name, value);
  if ((value as number) > 1) throw check.wrongRange(name, 'a number above 0 and at most 1', value);
};

const aheadMs: check.Check = (name, value) => {
  check.positive(name, value);
  // No timer is shorter, and each request would make a call.
  if ((value as number) < 1) throw check.wrongRange(name, 'a number from 1', value);
};

const lease: check.Check = (name, value) => {
  check.checkOptions(name, value as object, { aheadMs });
};

const feedback: check.Check = (name, value) => {
  if (value !== false) check.callable(name, value);
};

const CHECKS: Readonly<Record<keyof ValkeyBucketOptions, check.Check>> = {
  client: () => {},
  key,
  refillPerSecond: check.refillRate,
  capacity: check.positive,
  prefix: withoutBraces,
  lease,
  onStoreError: check.oneOf('local', 'open', 'closed'),
  localShare: share,
  timeoutMs: check.positive,
  connectTimeoutMs: check.notNegative,
  retryMs: check.positive,
  onStoreEvent: check.callable,
  nonConforming: check.oneOf('delay', 'reject', 'mark'),
  feedback,
  feedbackScope: check.oneOf('origin', 'bucket'),
  maxPauseMs: check.notNegative,
  ...WAITING_CHECKS,
  clock: check.having('a clock', 'now', 'schedule'),
  random: check.callable,
};

/** A round trip and a timer take as long: tokens that are leased for a shorter time come too late. In milliseconds. */
const LEAST_MS = 10;

/** Beyond this, times and tokens in whole numbers of millionths could not be told exactly. */
const MOST_TOKENS = 1e9;
const LONGEST_FILL_SECONDS = 1e8;

/** @throws TypeError, RangeError for a wrong option */
export function fleetSetup(options: ValkeyBucketOptions): FleetSetup {
  check.checkOptions('valkeyBucket', options, CHECKS);
  const port = storeClientOf(options.client);
  key('valkeyBucket: key', options.key);
  const { refillPerSecond, prefix = 'ebb:' } = options;
  check.refillRate('valkeyBucket: refillPerSecond', refillPerSecond);
  const { capacity = Math.max(1, Math.ceil(refillPerSecond / 5)) } = options;
  if (capacity > MOST_TOKENS) {
    throw check.wrongRange('valkeyBucket: capacity', `at most ${MOST_TOKENS}`, capacity);
  }
  if (capacity / refillPerSecond > LONGEST_FILL_SECONDS) {
    const takes = `at least a ${LONGEST_FILL_SECONDS}th of the capacity, ${capacity}`;
    throw check.wrongRange('valkeyBucket: refillPerSecond', takes, refillPerSecond);
  }
  const {
    lease = {},
    onStoreError = 'local',
    localShare,
    timeoutMs = 250,
    connectTimeoutMs,
    retryMs = 500,
    onStoreEvent,
    nonConforming = 'delay',
    feedback = serverFeedback,
    feedbackScope = 'origin',
    maxPauseMs = 600_000,
    clock = systemClock,
    random = systemRandom,
  } = options;
  const fillMs = (capacity * 1_000) / refillPerSecond;
  const aheadMs = Math.min(lease.aheadMs ?? 100, fillMs / 2);
  return {
    ...waitingSetup(options),
    client: options.client,
    port,
    key: `${prefix}{${options.key}}`,
    refillPerSecond,
    capacity,
    aheadMs,
    queueAheadMs: Math.max(aheadMs, LEAST_MS),
    graceMs: Math.max(fillMs, LEAST_MS),
    onStoreError,
    localShare,
    timeoutMs,
    connectTimeoutMs,
    retryMs,
    onStoreEvent,
    nonConforming,
    feedback,
    feedbackScope,
    maxPauseMs,
    clock,
    random,
  };
}
