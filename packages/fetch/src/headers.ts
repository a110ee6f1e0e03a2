/** What can be asked for a header by its name. */
interface Named {
  get?(name: string): string | null;
}

function isRead(headers: object): boolean {
  return Array.isArray(headers) || typeof (headers as Named).get === 'function';
}

/**
 * Headers that can be read any number of times, for headers that may be an iterator, which can be read once;
 * `undefined` for those that need no help. Reads the iterator as it is read itself, not before.
 */
export function rereadable(headers: unknown): Iterable<string[]> | undefined {
  if (typeof headers !== 'object' || headers === null || isRead(headers)) return undefined;
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
          // A pair may be an iterator as well. What is no pair is an error that the base fetch tells.
          read.push(typeof next.value === 'object' ? [...next.value] : next.value);
        }
        yield read[at] as string[];
      }
    },
  };
}

/** A header by its lower-case name; `undefined` also for headers that the base fetch will refuse. */
export function headerIn(headers: unknown, name: string): string | undefined {
  try {
    return new Headers(headers as HeadersInit).get(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A header of a response. That of a mock may have no headers, or plain ones. */
export function responseHeader(headers: unknown, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (typeof (headers as Named).get === 'function') return (headers as Headers).get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return value === undefined || value === null ? undefined : String(value);
}
