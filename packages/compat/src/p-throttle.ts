import { callable, devText, type OptionTable, positive, readOptions } from '@ebb/core/internal';
import { cannot, strict } from './shared-options.ts';
import { windowBucket } from './window-bucket.ts';

/** Options of {@link likePThrottle}: those of p-throttle. `undefined` counts as not given. */
export interface LikePThrottleOptions {
  /** How many calls start in each interval. */
  readonly limit: number;
  /** In milliseconds. */
  readonly interval: number;
  /** `true` is an error: a bucket has no sliding window. */
  readonly strict?: boolean | undefined;
  /** Its abort ends the calls that wait, with its reason. Later calls that would have to wait fail as well. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the arguments of each call that has to wait. Its errors are ignored. */
  readonly onDelay?: ((...args: never[]) => void) | undefined;
  /**
   * How much of the limit a call takes, by its arguments.
   * @default () => 1
   */
  readonly weight?: ((...args: never[]) => number) | undefined;
}

const OPTIONS: OptionTable<LikePThrottleOptions, 'strict' | 'signal' | 'onDelay'> = {
  limit: { check: positive, required: true },
  interval: { check: positive, required: true },
  strict: { check: cannot(devText('left out: a bucket has no sliding window'), (value) => value === false) },
  signal: {
    check: cannot(devText('an AbortSignal of the runtime'), (value) => value instanceof AbortSignal),
  },
  onDelay: { check: callable },
  weight: { check: callable, default: () => 1 },
};

type Call = (...args: never[]) => unknown;

/** A function that waits for its turn. Any other member of p-throttle is a TypeError that names it. */
export type LikePThrottleFunction<F extends Call> = F & {
  /** Set to `false` it calls the function at once. */
  isEnabled: boolean;
  /** How many calls wait, of all functions that share the limit. */
  readonly queueSize: number;
};

function callSafely(told: () => unknown): void {
  try {
    told();
  } catch {
    // p-throttle ignores it.
  }
}

/**
 * Limits functions as p-throttle 8.1.1 does, for programs that come from it: so many calls start in each interval, and the others wait. A
 * policy of core with a bucket says more: `retry(call, policy)`.
 *
 * Differences: the intervals begin with the limiter, and not with the first call after a pause; and an aborted signal stays aborted.
 *
 * Source: p-throttle 8.1.1.
 * @throws TypeError, RangeError for an option that ebb cannot follow
 * @example
 * ```ts
 * import { likePThrottle } from '@ebb/compat';
 *
 * const throttle = likePThrottle({ limit: 2, interval: 1_000 });
 * const load = throttle((id: number) => fetch(`https://api.example.com/${id}`));
 * ```
 */
export function likePThrottle(
  options: LikePThrottleOptions,
): <F extends Call>(call: F) => LikePThrottleFunction<F> {
  const { limit, interval, signal, onDelay, weight } = readOptions('likePThrottle', options, OPTIONS);
  const bucket = windowBucket(limit, interval);
  function wait(cost: number, args: never[]): Promise<unknown> {
    callSafely(() => onDelay?.(...args));
    return bucket.acquire({ cost, ...(signal && { signal }) });
  }

  return <F extends Call>(call: F) => {
    async function throttled(this: unknown, ...args: never[]): Promise<unknown> {
      if (throttled.isEnabled) {
        const cost = weight(...args);
        if (bucket.tryAcquire(cost) === undefined) await wait(cost, args);
      }
      return call.apply(this, args);
    }
    throttled.isEnabled = true;
    Object.defineProperty(throttled, 'queueSize', { get: () => bucket.stats().waiting });
    const hint = devText(': the policy of a call has limits and onEvent for that');
    return strict('likePThrottle', throttled, hint) as unknown as LikePThrottleFunction<F>;
  };
}
