import type { BucketStats, ConcurrencyLimit, ObservableBucket, RetryBudget } from '@ebb/core';
import {
  type Attributes,
  type BatchObservableResult,
  type Meter,
  metrics,
  type Observable,
} from '@opentelemetry/api';
import { checkApi, checkNames, checkObject } from './check.ts';
import { SCOPE, VERSION } from './scope.ts';

/** What {@link observe} reads. Limits per key are observed one by one. */
export interface Observed {
  /**
   * Its tokens, its queue and its pause; of a bucket of `@ebb/valkey` also its mode.
   * @default none
   */
  readonly bucket?: Pick<ObservableBucket, 'stats'> | undefined;
  /**
   * Its slots and its queue.
   * @default none
   */
  readonly concurrency?: Pick<ConcurrencyLimit, 'stats'> | undefined;
  /**
   * Its balance; of a budget of `@ebb/valkey` also its mode.
   * @default none
   */
  readonly budget?: ObservableBudget | undefined;
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

/** A budget, or one that processes share. */
export interface ObservableBudget extends RetryBudget {
  stats?(): { readonly mode: string };
}

/** The modes of a bucket that processes share. */
const BUCKET_MODES = ['shared', 'local', 'open', 'closed'];
const BUDGET_MODES = ['shared', 'local'];

/** Writes the values of one limit. */
type Write = (result: BatchObservableResult) => void;

/** Makes gauges of one limit, and notes them. */
type MakeGauge = (name: string, unit: string, description: string) => Observable;

/**
 * Observes limits: each time metrics are collected, gauges take the state of the bucket, the slots and the budget. Call it
 * after the SDK has been started. Returns a function that ends it: the limits are not read any more, and can be collected.
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
export function observe(observed: Observed): () => void {
  checkObject('observe', 'options', observed);
  checkNames('observe', observed, ['bucket', 'concurrency', 'budget', 'attributes', 'meter']);
  const { bucket, concurrency, budget, attributes = {}, meter = metrics.getMeter(SCOPE, VERSION) } = observed;
  checkApi('observe', 'meter', meter, 'addBatchObservableCallback', 'a Meter');
  checkObject('observe', 'attributes', attributes);
  if (bucket !== undefined) checkApi('observe', 'bucket', bucket, 'stats', 'a bucket with stats()');
  if (concurrency !== undefined)
    checkApi('observe', 'concurrency', concurrency, 'stats', 'a concurrency limit');
  if (budget !== undefined) checkApi('observe', 'budget', budget, 'withdraw', 'a retry budget');

  const gauges: Observable[] = [];
  const make: MakeGauge = (name, unit, description) => {
    const gauge = meter.createObservableGauge(`ebb.client.${name}`, { unit, description });
    gauges.push(gauge);
    return gauge;
  };
  const writes = [
    ...(bucket === undefined ? [] : [writeBucket(bucket, attributes, make)]),
    ...(concurrency === undefined ? [] : [writeSlots(concurrency, attributes, make)]),
    ...(budget === undefined ? [] : [writeBudget(budget, attributes, make)]),
  ];
  const write: Write = (result) => {
    for (const one of writes) one(result);
  };
  meter.addBatchObservableCallback(write, gauges);
  return () => meter.removeBatchObservableCallback(write, gauges);
}

function writeBucket(bucket: Pick<ObservableBucket, 'stats'>, of: Attributes, make: MakeGauge): Write {
  const tokens = make('bucket.tokens', '{token}', 'Tokens that are available; below 0 a debt.');
  const capacity = make('bucket.capacity', '{token}', 'The most tokens that the bucket holds.');
  const waiting = make('bucket.waiting', '{request}', 'Requests that wait for tokens.');
  const paused = make('bucket.paused', 's', 'The rest of the longest pause; 0 without one.');
  const mode = make('bucket.mode', '{bucket}', 'Of a shared bucket: 1 for its mode now, 0 for the others.');
  return (result) => {
    const stats: BucketStats & { readonly mode?: string } = bucket.stats();
    result.observe(tokens, stats.tokens, of);
    result.observe(capacity, stats.capacity, of);
    result.observe(waiting, stats.waiting, of);
    result.observe(paused, stats.pausedMs / 1000, of);
    if (stats.mode === undefined) return;
    for (const each of BUCKET_MODES) {
      result.observe(mode, each === stats.mode ? 1 : 0, { ...of, 'ebb.bucket.mode': each });
    }
  };
}

function writeSlots(limit: Pick<ConcurrencyLimit, 'stats'>, of: Attributes, make: MakeGauge): Write {
  const inUse = make('slots.in_use', '{slot}', 'Slots that are held.');
  const most = make('slots.limit', '{slot}', 'The most slots that can be held at once.');
  const waiting = make('slots.waiting', '{request}', 'Requests that wait for a slot.');
  return (result) => {
    const stats = limit.stats();
    result.observe(inUse, stats.inUse, of);
    result.observe(most, stats.maxConcurrent, of);
    result.observe(waiting, stats.waiting, of);
  };
}

function writeBudget(budget: ObservableBudget, of: Attributes, make: MakeGauge): Write {
  const balance = make('budget.balance', '{retry}', 'Retries that the budget allows now.');
  const mode = make('budget.mode', '{budget}', 'Of a shared budget: 1 for its mode now, 0 for the other.');
  return (result) => {
    result.observe(balance, budget.balance, of);
    const now = budget.stats?.().mode;
    if (now === undefined) return;
    for (const each of BUDGET_MODES) {
      result.observe(mode, each === now ? 1 : 0, { ...of, 'ebb.budget.mode': each });
    }
  };
}
