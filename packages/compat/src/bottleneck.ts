import {
  concurrencyLimit,
  createPolicy,
  type Policy,
  type PolicyOptions,
  priorityQueue,
  retry,
  type TokenBucket,
  tokenBucket,
} from '@ebb/core';
import {
  type Check,
  countingNumber,
  devText,
  notNegative,
  type OptionTable,
  positive,
  readOptions,
  wrongType,
} from '@ebb/core/internal';
import { strict } from './shared-options.ts';

/** Options of {@link likeBottleneck}: those of bottleneck that limit. `undefined`, and `null` for numbers, count as not given. */
export interface LikeBottleneckOptions {
  /** How many functions run at once. */
  readonly maxConcurrent?: number | null | undefined;
  /**
   * Between two starts, in milliseconds.
   * @default 0
   */
  readonly minTime?: number | null | undefined;
  /** How many functions may start until the next refresh. It needs both options below. */
  readonly reservoir?: number | null | undefined;
  readonly reservoirRefreshAmount?: number | null | undefined;
  /** In milliseconds. */
  readonly reservoirRefreshInterval?: number | null | undefined;
  /** A name, which does not matter here. */
  readonly id?: string | null | undefined;
}

/** Options of a function that waits for its turn. */
export interface LikeBottleneckJob {
  /**
   * From 0 to 9: the lowest goes first.
   * @default 5
   */
  readonly priority?: number | undefined;
  readonly id?: string | undefined;
}

/** A limiter with the methods of bottleneck that most programs use. Any other is a TypeError that names it. */
export interface LikeBottleneck {
  /** For `retry`, or a client: its calls share the limits. */
  readonly policy: Policy;
  schedule<A extends unknown[], T>(call: (...args: A) => T | PromiseLike<T>, ...args: A): Promise<T>;
  schedule<A extends unknown[], T>(
    job: LikeBottleneckJob,
    call: (...args: A) => T | PromiseLike<T>,
    ...args: A
  ): Promise<T>;
  wrap<A extends unknown[], T>(call: (...args: A) => T | PromiseLike<T>): (...args: A) => Promise<T>;
}

const orNull =
  (check: Check): Check =>
  (name, value) =>
    value === null || check(name, value);

type Unset = keyof LikeBottleneckOptions;

const OPTIONS: OptionTable<LikeBottleneckOptions, Unset> = {
  maxConcurrent: { check: orNull(countingNumber) },
  minTime: { check: orNull(notNegative) },
  reservoir: { check: orNull(notNegative) },
  reservoirRefreshAmount: { check: orNull(countingNumber) },
  reservoirRefreshInterval: { check: orNull(positive) },
  id: { check: () => undefined },
};

const JOB: OptionTable<LikeBottleneckJob, 'priority' | 'id'> = {
  priority: { check: notNegative },
  id: { check: () => undefined },
};

function bucketOf(options: LikeBottleneckOptions): TokenBucket | undefined {
  const { minTime, reservoir } = options;
  const { reservoirRefreshAmount: amount, reservoirRefreshInterval: refillIntervalMs } = options;
  if (typeof reservoir !== 'number')
    return minTime
      ? tokenBucket({ capacity: 1, refillPerSecond: 1_000 / minTime, queue: priorityQueue() })
      : undefined;
  if (!amount || !refillIntervalMs || minTime)
    throw wrongType(
      'likeBottleneck: reservoir',
      devText('a number with an amount and an interval of its refresh, and without minTime'),
      reservoir,
    );
  const refillPerSecond = (amount * 1_000) / refillIntervalMs;
  const queue = priorityQueue();
  return tokenBucket({
    capacity: amount,
    initialTokens: reservoir,
    refillPerSecond,
    refillIntervalMs,
    queue,
  });
}

/**
 * A limiter with the methods of bottleneck 2.19.5, for programs that come from it: calls of `schedule` and `wrap` stay where they are. A
 * policy of core with the same limits says more: `retry(call, limiter.policy)`.
 *
 * Source: bottleneck 2.19.5.
 * @throws TypeError, RangeError for an option that ebb cannot follow
 * @example
 * ```ts
 * import { likeBottleneck } from '@ebb/compat';
 *
 * const limiter = likeBottleneck({ maxConcurrent: 2, minTime: 200 });
 * const response = await limiter.schedule(() => fetch('https://api.example.com/'));
 * ```
 */
export function likeBottleneck(given: LikeBottleneckOptions = {}): LikeBottleneck {
  const options = readOptions('likeBottleneck', given, OPTIONS);
  const bucket = bucketOf(options);
  const { maxConcurrent } = options;
  const limits: PolicyOptions = {
    maxRetries: 0,
    feedback: false,
    ...(bucket && { bucket }),
    ...(typeof maxConcurrent === 'number' && {
      concurrency: concurrencyLimit({ maxConcurrent, queue: priorityQueue() }),
    }),
  };
  const policy = createPolicy(limits);
  const policies = new Map([[5, policy]]);
  const policyFor = (job: LikeBottleneckJob): Policy => {
    const { priority = 5 } = readOptions('likeBottleneck: a job', job, JOB);
    const known = policies.get(priority) ?? createPolicy({ ...limits, priority: 5 - priority });
    policies.set(priority, known);
    return known;
  };

  type Call = (...args: unknown[]) => unknown;
  function schedule(first: LikeBottleneckJob | Call, ...others: unknown[]): Promise<unknown> {
    if (typeof first === 'function') return retry(() => first(...others), policy);
    const [call, ...args] = others as [Call, ...unknown[]];
    return retry(() => call(...args), policyFor(first));
  }
  const limiter = {
    policy,
    schedule,
    wrap:
      (call: Call) =>
      (...args: unknown[]) =>
        schedule(call, ...args),
  };
  return strict(
    'likeBottleneck',
    limiter,
    devText(': the policy has limits and onEvent for that'),
  ) as LikeBottleneck;
}
