/**
 * A property of an unknown value; `undefined` if reading it throws. Some runtimes reject with errors whose getters throw,
 * and a `Proxy` may do anything. Such a defect must not replace the error itself.
 */
export function property(of: unknown, name: PropertyKey): unknown {
  if ((typeof of !== 'object' && typeof of !== 'function') || of === null) return undefined;
  try {
    return (of as Record<PropertyKey, unknown>)[name];
  } catch {
    return undefined;
  }
}
