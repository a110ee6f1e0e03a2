/** Names and values of headers in an object, a map, pairs, or a list in which names and values alternate. */
function entriesOf(headers: object): readonly (readonly unknown[])[] {
  const isIterable = typeof (headers as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function';
  if (!isIterable) return Object.entries(headers);
  const items = [...(headers as Iterable<unknown>)];
  if (items.every(Array.isArray)) return items;
  return items.flatMap((name, at) => (at % 2 === 0 ? [[name, items[at + 1]]] : []));
}

/** A value as text; several values of one name are joined with commas. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return Array.isArray(value) ? joined(value) : undefined;
}

function joined(values: readonly unknown[]): string | undefined {
  const texts = values.map(textOf).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** The lookup that an object such as `Headers` has; `undefined` if it does not know the name, or throws. */
function lookedUp(headers: object, name: string): string | undefined {
  try {
    const { get } = headers as { get?: unknown };
    return typeof get === 'function' ? textOf(get.call(headers, name)) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A header by its lower-case name, in any form in which libraries keep headers, in any case. Never throws: a defect of an
 * error must not replace the error.
 */
export function headerIn(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const found = lookedUp(headers, name);
  if (found !== undefined) return found;
  try {
    const values = entriesOf(headers).filter(([key]) => String(key).toLowerCase() === name);
    return joined(values.map(([, value]) => value));
  } catch {
    return undefined;
  }
}

/** An object with a lookup by name, such as `Headers`. */
interface HeaderMap {
  get?(name: string): string | null;
}

/** A response header by its lower-case name. A mock may have no headers, or a plain object. */
export function responseHeader(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const { get } = headers as HeaderMap;
  if (typeof get === 'function') return get.call(headers, name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return value === undefined || value === null ? undefined : String(value);
}
