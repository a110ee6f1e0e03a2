/** An object with a lookup by name, such as `Headers`. */
interface HeaderMap {
  get?(name: string): string | null;
}

/** A response header by its lower-case name. A mock may have no headers, or a plain object. */
export function responseHeader(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const { get }: HeaderMap = headers;
  if (typeof get === 'function') return get.call(headers, name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return value === undefined || value === null ? undefined : String(value);
}

/**
 * A header of an error by its lower-case name, from `Headers` or an object. Never throws: a defect of an error must not replace
 * the error.
 */
export function headerIn(headers: unknown, name: string): string | undefined {
  try {
    return responseHeader(headers, name);
  } catch {
    return undefined;
  }
}
