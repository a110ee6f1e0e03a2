import type { Dispatcher } from 'undici';

/** Request headers in any of the forms that undici takes: a record, a flat list, an iterable of pairs. */
export type RequestHeaders = Dispatcher.DispatchOptions['headers'];

/** Response headers as handlers get them: lower-case names, a list where a field came several times. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Names, as they were written, and values of request headers. */
export function* headerPairs(headers: RequestHeaders): Generator<[name: string, value: unknown]> {
  if (typeof headers !== 'object' || headers === null) return;
  if (Array.isArray(headers)) {
    for (let at = 0; at + 1 < headers.length; at += 2) yield [String(headers[at]), headers[at + 1]];
  } else if (Symbol.iterator in headers) {
    // What is no pair, undici turns down.
    for (const pair of headers as Iterable<unknown>) {
      if (Array.isArray(pair)) yield [String(pair[0]), pair[1]];
    }
  } else {
    yield* Object.entries(headers);
  }
}

/** Headers that came as something that may be read only once. undici takes them as it takes a Map. */
class LastingHeaders {
  readonly #entries: readonly unknown[];

  constructor(entries: Iterable<unknown>) {
    this.#entries = [...entries];
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this.#entries[Symbol.iterator]();
  }
}

/** Whether each attempt, and each hook before it, reads the same headers in it. */
function lasts(headers: object): boolean {
  return (
    !(Symbol.iterator in headers) ||
    Array.isArray(headers) ||
    headers instanceof Map ||
    Object.prototype.toString.call(headers) === '[object Headers]'
  );
}

/**
 * The options with headers that can be read again and again, whatever iterable they came as.
 * @throws whatever the iterable throws
 */
export function withLastingHeaders(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const { headers } = options;
  if (typeof headers !== 'object' || headers === null || lasts(headers)) return options;
  return { ...options, headers: new LastingHeaders(headers as Iterable<unknown>) as never };
}

/** A request header's value by its lower-case name. */
export function requestHeader(headers: RequestHeaders, name: string): string | undefined {
  for (const [key, value] of headerPairs(headers)) {
    if (key.toLowerCase() !== name || value === null || value === undefined) continue;
    return Array.isArray(value) ? value.join(', ') : String(value);
  }
  return undefined;
}

/** A response header's value, or all of its values with commas between them. */
export function responseHeader(headers: ResponseHeaders, name: string): string | undefined {
  // A header may be called what every object has.
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}
