/**
 * Why a request was not sent: `not-conforming`: the tokens were not there, and the bucket lets nobody wait ·
 * `queue-full`: too many wait · `displaced`: another took its place in the full queue · `wait-too-long`: its
 * turn would come, or did not come, within the wait that it allows · `capacity-lowered`: the bucket no longer
 * holds so many tokens · `too-many-keys`: there is no room for the bucket of another key · `unavailable`: a
 * shared store could not be asked.
 */
export type ThrottledReason =
  | 'not-conforming'
  | 'queue-full'
  | 'displaced'
  | 'wait-too-long'
  | 'capacity-lowered'
  | 'too-many-keys'
  | 'unavailable';

/** A request could not be sent, because no token or no slot was to be had within its limits. */
export class ThrottledError extends Error {
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
