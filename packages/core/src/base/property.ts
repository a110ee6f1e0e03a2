/**
 * A property of an unknown value; `undefined` if reading it throws. Some runtimes reject with errors whose getters throw,
 * and a `Proxy` may do anything. Such a defect must not replace the error itself.
 */
export function property(of: unknown, name: PropertyKey): unknown {
  try {
    return (of as Record<PropertyKey, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** True for an error. Also of a `Proxy` this may throw. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** What was thrown, as a text. */
export function textOfError(thrown: unknown): string {
  const message = isError(thrown) ? property(thrown, 'message') : thrown;
  try {
    return String(message);
  } catch {
    return typeof message;
  }
}
