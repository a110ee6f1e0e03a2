/**
 * A property of a value that came from anywhere, or `undefined` if reading it throws. Some runtimes reject with errors
 * whose getters throw, and a `Proxy` may do anything; what is wrong with an error must not hide the error itself.
 */
export function property(of: unknown, name: PropertyKey): unknown {
  if ((typeof of !== 'object' && typeof of !== 'function') || of === null) return undefined;
  try {
    return (of as Record<PropertyKey, unknown>)[name];
  } catch {
    return undefined;
  }
}

/** Whether a value that came from anywhere has a property; `false` if it does not let itself be asked. */
export function hasProperty(of: object, name: PropertyKey): boolean {
  try {
    return name in of;
  } catch {
    return false;
  }
}
