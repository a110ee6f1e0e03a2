import type { ReadHeader, SentHeaders } from '@ebb/core/adapter';
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

/** Headers that undici takes as it takes a Map, but with any number of values for a name. */
function iterableOf(entries: readonly unknown[]): Iterable<unknown> {
  return { [Symbol.iterator]: () => entries.values() };
}

/** True for an iterable that can perhaps be read only once. */
function isReadOnce(headers: RequestHeaders): headers is Iterable<[string, string]> {
  return (
    typeof headers === 'object' &&
    headers !== null &&
    Symbol.iterator in headers &&
    !Array.isArray(headers) &&
    !(headers instanceof Map) &&
    Object.prototype.toString.call(headers) !== '[object Headers]'
  );
}

/**
 * The options with headers that can be read any number of times: each attempt and each hook then sees the same.
 *
 * @throws what the iterable of headers throws
 */
export function withRereadableHeaders(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const { headers } = options;
  return isReadOnce(headers) ? { ...options, headers: iterableOf([...headers]) as never } : options;
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

export function readerOf(headers: ResponseHeaders): ReadHeader {
  return (name) => responseHeader(headers, name);
}

/**
 * Request headers with changes, in the form in which they came. Invalid ones stay as they are: undici refuses them.
 *
 * @param headers must be readable more than once
 * @param changes the later of two spellings of a name wins
 */
export function changedHeaders(headers: RequestHeaders, changes: SentHeaders): RequestHeaders {
  return changed(headers, changes) as RequestHeaders;
}

function changed(headers: unknown, changes: SentHeaders): unknown {
  const byName = new Map(Object.entries(changes).map((pair) => [pair[0].toLowerCase(), pair]));
  const isKept = (name: unknown): boolean => !byName.has(String(name).toLowerCase());
  const added = [...byName.values()].filter(([, value]) => value !== undefined);
  if (headers === undefined || headers === null) return Object.fromEntries(added);
  if (typeof headers !== 'object') return headers;
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    // By pairs of positions: undici has an error of its own for a name without a value.
    return [...headers.filter((_, at) => isKept(headers[at - (at % 2)])), ...added.flat()];
  }
  if (!(Symbol.iterator in headers))
    return Object.fromEntries([...Object.entries(headers).filter(([name]) => isKept(name)), ...added]);
  const kept = [...(headers as Iterable<unknown>)].filter((pair) => !Array.isArray(pair) || isKept(pair[0]));
  return Array.isArray(headers) ? [...kept, ...added] : iterableOf([...kept, ...added]);
}
