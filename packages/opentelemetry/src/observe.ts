import type { ConcurrencyLimit, RetryBudget, Throttle } from '@ebb/core';
import {
  type Attributes,
  type BatchObservableResult,
  type Meter,
  metrics,
  type Observable,
} from '@opentelemetry/api';
import { checkApi, checkNames, checkObject } from './check.ts';
import { type Make, makeOf } from './instruments.ts';
import { type ObservableStats, observeAll, writeShared } from './observe-shared.ts';

import { SCOPE, VERSION } from './scope.ts';

/** The limits that {@link observe} reads. Limits per key are observed one by one. */
export interface ObservedLimits {
  /**
   * Its tokens, its queue and its pause; of a bucket of `@ebb/valkey` also its mode, its share, and its calls to the store.
   * `valkeyBucketPerKey` has these alone.
   * @default none
   */
  readonly bucket?: ObservedBucket | undefined;
  /**
   * Its slots and its queue.
   * @default none
   */
  readonly concurrency?: Pick<ConcurrencyLimit, 'stats'> | undefined;
  /**
   * Its balance; of a budget of `@ebb/valkey` also its mode and its calls to the store.
   * @default none
   */
  readonly budget?: ObservableBudget | undefined;
  /**
   * The share of new requests that it sends.
   * @default none
   */
  readonly throttle?: Throttle | undefined;
  /**
   * Tell these limits from others: two calls with equal attributes overwrite each other's values.
   * @default none
   */
  readonly attributes?: Attributes | undefined;
  /**
   * Makes the gauges.
   * @default the global meter provider's, of the name `@ebb/opentelemetry`
   */
  readonly meter?: Meter | undefined;
}

/** A bucket, or those of many keys that processes share. */
export interface ObservedBucket {
  stats(): ObservableStats;
}

/** A budget, or one that processes share. */
export interface ObservableBudget extends RetryBudget {
  stats?(): { readonly mode: string; readonly calls?: number };
}

const BUDGET_MODES = ['shared', 'local'];

/** Writes the values of one limit. */
type Write = (result: BatchObservableResult) => void;

/**
 * Observes limits: each time metrics are collected, gauges take the state of the bucket, the slots, the budget and the
 * throttle. Call it after the SDK has been started. Returns a function that ends it: the limits are not read any more, and can be collected.
 * The SDK may go on reporting the last values.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 * import { observe, telemetry } from '@ebb/opentelemetry';
 *
 * const bucket = tokenBucket({ refillPerSecond: 100 });
 * const policy = createPolicy({ bucket, onEvent: telemetry() });
 * const stop = observe({ bucket, attributes: { 'peer.service': 'orders' } });
 * ```
 */
export function observe(observed: ObservedLimits): () => void {
  checkObject('observe', 'options', observed);
  checkNames('observe', observed, ['bucket', 'concurrency', 'budget', 'throttle', 'attributes', 'meter']);
  const { bucket, concurrency, budget, throttle } = observed;
  const { attributes = {}, meter = metrics.getMeter(SCOPE, VERSION) } = observed;
  checkApi('observe', 'meter', meter, 'addBatchObservableCallback', 'a Meter');
  checkObject('observe', 'attributes', attributes);
  if (bucket !== undefined) checkApi('observe', 'bucket', bucket, 'stats', 'a bucket with stats()');
  if (concurrency !== undefined)
    checkApi('observe', 'concurrency', concurrency, 'stats', 'a concurrency limit');
  if (budget !== undefined) checkApi('observe', 'budget', budget, 'withdraw', 'a retry budget');
  if (throttle !== undefined) checkApi('observe', 'throttle', throttle, 'isolate', 'a throttle');

  const instruments: Observable[] = [];
  const make = makeOf(meter, instruments);
  const writes = [
    ...(bucket === undefined ? [] : [writeBucket(bucket, attributes, make)]),
    ...(concurrency === undefined ? [] : [writeSlots(concurrency, attributes, make)]),
    ...(budget === undefined ? [] : [writeBudget(budget, attributes, make)]),
    ...(throttle === undefined ? [] : [writeThrottle(throttle, attributes, make)]),
  ];
  const write: Write = (result) => {
    for (const one of writes) one(result);
  };
  meter.addBatchObservableCallback(write, instruments);
  return () => meter.removeBatchObservableCallback(write, instruments);
}

function writeBucket(bucket: ObservedBucket, of: Attributes, make: Make): Write {
  const { gauge } = make;
  const tokens = gauge('bucket.tokens', '{token}', 'Tokens that are available; below 0 a debt.');
  const capacity = gauge('bucket.capacity', '{token}', 'The most tokens that the bucket holds.');
  const waiting = gauge('bucket.waiting', '{request}', 'Requests that wait for tokens.');
  const paused = gauge('bucket.paused', 's', 'The rest of the longest pause; 0 without one.');
  const shared = writeShared(of, make);
  return (result) => {
    const stats = bucket.stats();
    const { pausedMs } = stats;
    observeAll(result, of, [
      [tokens, stats.tokens],
      [capacity, stats.capacity],
      [waiting, stats.waiting],
      [paused, pausedMs === undefined ? undefined : pausedMs / 1000],
    ]);
    shared(result, stats);
  };
}

function writeSlots(limit: Pick<ConcurrencyLimit, 'stats'>, of: Attributes, { gauge }: Make): Write {
  const inUse = gauge('slots.in_use', '{slot}', 'Slots that are held.');
  const most = gauge('slots.limit', '{slot}', 'The most slots that can be held at once.');
  const waiting = gauge('slots.waiting', '{request}', 'Requests that wait for a slot.');
  return (result) => {
    const stats = limit.stats();
    result.observe(inUse, stats.inUse, of);
    result.observe(most, stats.maxConcurrent, of);
    result.observe(waiting, stats.waiting, of);
  };
}

function writeBudget(budget: ObservableBudget, of: Attributes, { gauge, counter }: Make): Write {
  const balance = gauge('budget.balance', '{retry}', 'Retries that the budget allows now.');
  const mode = gauge('budget.mode', '{budget}', 'Of a shared budget: 1 for its mode now, 0 for the other.');
  const calls = counter('budget.calls', '{call}', 'Of a shared budget: calls of this process to the store.');
  return (result) => {
    result.observe(balance, budget.balance, of);
    const stats = budget.stats?.();
    if (stats === undefined) return;
    for (const each of BUDGET_MODES) {
      result.observe(mode, each === stats.mode ? 1 : 0, { ...of, 'ebb.budget.mode': each });
    }
    if (stats.calls !== undefined) result.observe(calls, stats.calls, of);
  };
}

function writeThrottle(throttle: Throttle, of: Attributes, { gauge }: Make): Write {
  const level = gauge(
    'throttle.level',
    '1',
    'The share of new requests that the throttle sends, from 0 to 1.',
  );
  return (result) => result.observe(level, throttle.level, of);
}
