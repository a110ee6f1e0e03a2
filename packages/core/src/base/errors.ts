/**
 * Why a request was not sent: `not-conforming`: the tokens were not there, and the bucket lets nobody wait ·
 * `queue-full`: too many wait · `displaced`: another took its place in the full queue · `wait-too-long`: its
 * turn would come, or did not come, within the wait that it allows · `capacity-lowered`: the bucket no longer
 * holds so many tokens · `closed`: the bucket was closed · `too-many-keys`: there is no room for the bucket of
 * another key · `unavailable`: a shared store could not be asked.
 */
export type ThrottledReason =
  | 'not-conforming'
  | 'queue-full'
  | 'displaced'
  | 'wait-too-long'
  | 'capacity-lowered'
  | 'closed'
  | 'too-many-keys'
  | 'unavailable';

/**
 * Lets `instanceof` know the errors of every copy of this package in a program, since there are two as soon as one
 * part of it requires what another imports.
 */
function knowOtherCopies(kind: abstract new (...args: never[]) => Error, name: string): void {
  const mark = Symbol.for(`@ebb/core ${name}`);
  const isOfThisCopy = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(kind.prototype, mark, { value: true });
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // A class that extends this one inherits the method, and means its own instances.
      if (this !== kind) return isOfThisCopy.call(this as never, value);
      return typeof value === 'object' && value !== null && mark in value;
    },
  });
}

/** A request could not be sent, because no token or no slot was to be had within its limits. */
export class ThrottledError extends Error {
  static {
    knowOtherCopies(ThrottledError, 'ThrottledError');
  }

  override readonly name = 'ThrottledError';
  /** How long until the tokens would be there, in milliseconds; `undefined` when that cannot be known. */
  readonly waitMs: number | undefined;
  readonly reason: ThrottledReason;

  constructor(
    message: string,
    waitMs?: number,
    options: ErrorOptions & { reason?: ThrottledReason | undefined } = {},
  ) {
    super(message, options);
    this.waitMs = waitMs;
    this.reason = options.reason ?? 'not-conforming';
  }
}

/** A function that the policy was given threw, or answered something it may not. `cause` is what it threw. */
export class HookError extends Error {
  static {
    knowOtherCopies(HookError, 'HookError');
  }

  override readonly name = 'HookError';
  /** The option that holds the function. */
  readonly hook: string;

  constructor(hook: string, cause: unknown) {
    super(`${hook} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.hook = hook;
  }
}

/**
 * Calls a function that the user wrote.
 * @throws HookError that names it, when it throws
 */
export function callHook<T>(hook: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw new HookError(hook, cause);
  }
}
