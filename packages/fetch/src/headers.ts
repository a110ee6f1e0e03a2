/** An object with a lookup by name, such as `Headers`. */
interface HeaderMap {
  get?(name: string): string | null;
}

function isRereadable(headers: object): boolean {
  return Array.isArray(headers) || typeof (headers as HeaderMap).get === 'function';
}

/**
 * A copy of headers that came as an iterator, which can be read only once; `undefined` for other headers. It reads the
 * iterator lazily, so that errors of the iterator surface where fetch reads it.
 */
export function rereadableHeaders(headers: unknown): Iterable<string[]> | undefined {
  if (typeof headers !== 'object' || headers === null || isRereadable(headers)) return undefined;
  const { [Symbol.iterator]: iterate } = headers as Partial<Iterable<Iterable<string>>>;
  if (typeof iterate !== 'function') return undefined;
  const read: string[][] = [];
  let source: Iterator<Iterable<string>> | undefined;
  return {
    *[Symbol.iterator]() {
      for (let at = 0; ; at += 1) {
        if (at === read.length) {
          source ??= iterate.call(headers);
          const next = source.next();
          if (next.done) return;
          // A pair may be an iterator as well. For anything else the base fetch throws.
          read.push(typeof next.value === 'object' ? [...next.value] : next.value);
        }
        yield read[at] as string[];
      }
    },
  };
}

/** A request header by its lower-case name; `undefined` also if the base fetch will reject the headers. */
export function headerIn(headers: unknown, name: string): string | undefined {
  try {
    return new Headers(headers as HeadersInit).get(name) ?? undefined;
  } catch {
    return undefined;
  }
}
