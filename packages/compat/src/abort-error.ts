import { isError, isObject } from '@ebb/core/internal';

/** The errors after which no attempt follows. */
const last = /* @__PURE__ */ new WeakSet<object>();

/**
 * Stops the retries: `throw new AbortError(error)`, as with p-retry. The call fails with the error itself, so `new` returns that; a text
 * becomes an error.
 */
export class AbortError extends Error {
  constructor(given: string | Error) {
    super();
    const error = isError(given) ? given : new Error(String(given));
    last.add(error);
    // biome-ignore lint/correctness/noConstructorReturn: the error itself is thrown, and not one around it
    return error as AbortError;
  }

  /** True until the call that it stops has ended. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isObject(value) && last.has(value);
  }
}

/** True for an error that stops its call, which ends now: a call around it may be retried. */
export function endsWithAbort(error: unknown): boolean {
  return last.delete(Object(error));
}
