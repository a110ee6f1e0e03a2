import type { Dispatcher } from 'undici';

/** Request headers in any of the forms that undici takes: a record, a flat list, an iterable of pairs. */
export type RequestHeaders = Dispatcher.DispatchOptions['headers'];

/** Response headers as handlers get them: lower-case names, a list for a field that came several times. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Raw headers or trailers as a controller has them: names and values alternate, as received. */
export type RawHeaders = NonNullable<Dispatcher.DispatchController['rawHeaders']> | null;

/** What comes before the body of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly message: string | undefined;
  readonly rawHeaders: RawHeaders;
}

export function headOf(
  connection: Dispatcher.DispatchController | null | undefined,
  status: number,
  headers: ResponseHeaders,
  message?: string,
): ResponseHead {
  return { status, headers, message, rawHeaders: connection?.rawHeaders ?? null };
}

/** The names of request headers, in their original case, and their values. */
export function* headerPairs(headers: RequestHeaders): Generator<[name: string, value: unknown]> {
  if (typeof headers !== 'object' || headers === null) return;
  // undici itself takes no list of pairs, but some of its interceptors and other dispatchers do.
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    for (let at = 0; at + 1 < headers.length; at += 2) yield [String(headers[at]), headers[at + 1]];
  } else if (Symbol.iterator in headers) {
    // undici rejects anything that is not a pair.
    for (const pair of headers) {
      if (Array.isArray(pair)) yield [String(pair[0]), pair[1]];
    }
  } else {
    yield* Object.entries(headers);
  }
}

/** A copy of headers from an iterable that can perhaps be read only once. undici takes it as it takes a Map. */
export class HeadersCopy {
  readonly #entries: readonly unknown[];

  constructor(entries: Iterable<unknown>) {
    this.#entries = [...entries];
  }

  [Symbol.iterator](): Iterator<unknown> {
    return this.#entries[Symbol.iterator]();
  }
}

/** True if headers can be read again: each attempt and each hook then sees the same. */
function isRereadable(headers: object): boolean {
  return (
    !(Symbol.iterator in headers) ||
    Array.isArray(headers) ||
    headers instanceof Map ||
    Object.prototype.toString.call(headers) === '[object Headers]'
  );
}

/**
 * The options with headers that can be read any number of times.
 *
 * @throws what the iterable of headers throws
 */
export function withRereadableHeaders(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const { headers } = options;
  if (typeof headers !== 'object' || headers === null || isRereadable(headers)) return options;
  return { ...options, headers: new HeadersCopy(headers as Iterable<unknown>) as never };
}

/**
 * The value of a request header.
 *
 * @param name in lower case
 */
export function requestHeader(headers: RequestHeaders, name: string): string | undefined {
  for (const [key, value] of headerPairs(headers)) {
    if (key.toLowerCase() !== name || value === null || value === undefined) continue;
    return Array.isArray(value) ? value.join(', ') : String(value);
  }
  return undefined;
}

/** The value of a response header; several values are joined with commas. */
export function responseHeader(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name];
  // Most fields that are looked for are missing. Others may be named like a member of Object.prototype.
  if (value === undefined || !Object.hasOwn(headers, name)) return undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}
