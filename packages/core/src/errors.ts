/** A request could not be sent, because no token was to be had within its limits. */
export class ThrottledError extends Error {
  override readonly name = 'ThrottledError';
  /** How long until the tokens would be there, in milliseconds; `undefined` when that cannot be known. */
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.waitMs = waitMs;
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
