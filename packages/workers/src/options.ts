import {
  type Complete,
  check,
  defaultCapacity,
  type OptionTable,
  readOptions,
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
} from '@ebb/core/bucket';

/** A stub of a Durable Object, as far as {@link durableBucket} uses it. */
export interface BucketStub {
  fetch(
    url: string,
    init: { readonly method: string; readonly body: string; readonly signal: AbortSignal },
  ): Promise<{ readonly status: number; text(): Promise<string> }>;
}

/** Options of {@link durableBucket}. */
export interface DurableBucketOptions extends WaitingBucketOptions {
  /**
   * Returns the object that holds the bucket, such as `() => env.BUCKET.getByName('api')`. Called for each lease, in the request
   * that sends for it, because a stub belongs to its request.
   */
  readonly object: () => BucketStub;
  /** `waitUntil` of `cloudflare:workers`: a request that has sent for a lease may end before the reply, which serves others as well. */
  readonly waitUntil: (promise: Promise<unknown>) => void;
  /** Tokens per second for all isolates together, from 1e-9 to 1e9. */
  readonly refillPerSecond: number;
  /**
   * The most tokens that accumulate, for all isolates together: from 1e-9 to 1e9.
   * @default a fifth of `refillPerSecond`, rounded up
   */
  readonly capacity?: number | undefined;
  /**
   * How far ahead an isolate leases, in milliseconds, at least 1; the time of a call to the object comes on top. A longer time makes fewer
   * calls, and leaves more tokens idle in one isolate while another could use them.
   * @default 100
   */
  readonly aheadMs?: number | undefined;
  /**
   * How requests are served while the object is unreachable. `'local'`: each isolate spends its share of the rate, starting from empty.
   * `'open'`: every request gets a grant, which does not conform. `'closed'`: every request is rejected.
   * @default 'local'
   */
  readonly onStoreError?: 'local' | 'open' | 'closed' | undefined;
  /**
   * The part of the quota that this isolate has without the object, above 0 and at most 1. Without it an isolate that has not reached
   * the object within a minute rejects every request.
   * @default an equal part for each isolate that the object has counted
   */
  readonly localShare?: number | undefined;
  /**
   * How long the object may take to reply, in milliseconds. A longer call counts as an error.
   * @default 1_000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest delay between two attempts to reach a lost object, in milliseconds.
   * @default 500
   */
  readonly retryMs?: number | undefined;
}

/** Validated options with all defaults applied. */
export type DurableSetup = Complete<DurableBucketOptions, 'localShare'>;

const checkAheadMs: check.Check = (name, value) => {
  check.positive(name, value);
  // No timer is shorter, and each request would make a call.
  if ((value as number) < 1) throw check.wrongRange(name, 'a number ≥ 1', value);
};

const OPTIONS: OptionTable<DurableBucketOptions, 'localShare'> = {
  ...WAITING_BUCKET_OPTIONS,
  object: { check: check.callable, required: true },
  waitUntil: { check: check.callable, required: true },
  refillPerSecond: { check: check.refillRate, required: true },
  capacity: { check: check.capacity, defaultOf: defaultCapacity },
  aheadMs: { check: checkAheadMs, default: 100 },
  onStoreError: { check: check.oneOf('local', 'open', 'closed'), default: 'local' },
  localShare: { check: check.share },
  timeoutMs: { check: check.positive, default: 1_000 },
  retryMs: { check: check.positive, default: 500 },
};

/** @throws TypeError, RangeError if an option is invalid; the message names it */
export function durableSetup(options: DurableBucketOptions): DurableSetup {
  return readOptions('durableBucket', options, OPTIONS);
}
