import { isPromise } from './promise.ts';
import { property, textOfError } from './property.ts';

/**
 * Why a request was not sent.
 *
 * - `not-conforming`: the tokens were not available, and the bucket does not queue (`nonConforming: 'reject'`)
 * - `queue-full`: `maxQueue` requests wait already
 * - `displaced`: another request took its place in the full queue (`overflow`)
 * - `wait-too-long`: its turn would not come, or did not come, within `maxWaitMs` or the total timeout
 * - `capacity-lowered`: it costs more than the new capacity of the bucket
 * - `closed`: the bucket was closed
 * - `stopped`: the policy's `stopSignal` has aborted
 * - `overload`: too little succeeds, and the last chance to send it was skipped
 * - `unavailable`: the store of a shared bucket could not be reached
 */
export type ThrottledReason =
  | 'not-conforming'
  | 'queue-full'
  | 'displaced'
  | 'wait-too-long'
  | 'capacity-lowered'
  | 'closed'
  | 'stopped'
  | 'overload'
  | 'unavailable';

/**
 * Makes `instanceof` recognise the errors of every copy of this package in a program. There are two copies when one part
 * of a program requires the package and another imports it.
 */
function recogniseOtherCopies(kind: abstract new (...args: never[]) => Error, name: string): void {
  const mark = Symbol.for(`@ebb/core ${name}`);
  const isOfThisCopy = Function.prototype[Symbol.hasInstance];
  Object.assign(kind.prototype, { [mark]: true });
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // Inherited by subclasses, which must recognise their own instances only.
      try {
        return this === kind ? property(value, mark) === true : isOfThisCopy.call(this as never, value);
      } catch {
        // A `Proxy` may do anything.
        return false;
      }
    },
  });
}

/** The request was not sent, because it could not get its tokens or its slot within its limits, or because too little succeeds. */
export class ThrottledError extends Error {
  static {
    recogniseOtherCopies(ThrottledError, 'ThrottledError');
  }

  override readonly name = 'ThrottledError';
  /** How long the tokens would have taken, in milliseconds; `undefined` if that is not known. */
  readonly waitMs: number | undefined;
  readonly reason: ThrottledReason;
  /** The `fairKey` of the request that a policy has refused, if it has one. */
  declare readonly fairKey?: string;

  constructor(
    message: string,
    waitMs?: number,
    // Not `ErrorOptions`, which the library of ES2021 does not have.
    options: { readonly cause?: unknown; readonly reason?: ThrottledReason | undefined } = {},
  ) {
    super(message, options);
    this.waitMs = waitMs;
    this.reason = options.reason ?? 'not-conforming';
  }
}

/** A function of the policy, such as `cost` or `classify`, threw or returned an invalid value. `cause` is the error. */
export class HookError extends Error {
  static {
    recogniseOtherCopies(HookError, 'HookError');
  }

  override readonly name = 'HookError';
  /** The option that the function was given as. */
  readonly hook: string;

  constructor(hook: string, cause: unknown) {
    super(`${hook} failed: ${textOfError(cause)}`, { cause });
    this.hook = hook;
  }
}

/**
 * Calls a function that the user wrote, and that has to return its result at once.
 *
 * @param hook the option that the function was given as
 * @param check throws for a result that the function must not return
 * @throws HookError if one of them throws, or the result is a promise
 */
export function callHook<T>(hook: string, call: () => T, check?: (name: string, result: unknown) => void): T {
  let result: unknown;
  try {
    result = call();
    check?.('its result', result);
    if (isPromise(result)) throw new TypeError('its result must be there at once, got a promise');
    return result as T;
  } catch (cause) {
    // What it rejects with is of no use.
    if (isPromise(result)) Promise.resolve(result).catch(() => undefined);
    throw new HookError(hook, cause);
  }
}
