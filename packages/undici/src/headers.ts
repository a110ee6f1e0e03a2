import type { ReadHeader, SentHeaders } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';

/** Request headers in any of the forms that undici takes: a record, a flat list, an iterable of pairs. All but invalid ones are made a record. */
export type RequestHeaders = Dispatcher.DispatchOptions['headers'];

/** Response headers as handlers get them: lower-case names, a list for a field that came several times. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Raw headers or trailers as a controller has them: names and values alternate, as received. */
export type RawHeaders = NonNullable<Dispatcher.DispatchController['rawHeaders']> | null;

/** The status line and the headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly message: string | undefined;
  readonly rawHeaders: RawHeaders;
}

/**
 * A copy of the options, which their owner cannot change: each attempt and each hook sees the same. Its headers are in one form, a record;
 * those that undici refuses stay as they are. Bodies are not copied.
 *
 * @throws what the iterable of headers throws
 */
export function ownOptions(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const own: { headers?: unknown; query?: unknown } & object = { ...options };
  const { headers, query } = own;
  if (typeof headers === 'object' && headers !== null)
    own.headers = Symbol.iterator in headers ? recordOf(headers as Iterable<unknown>) : copyOf(headers);
  if (typeof query === 'object' && query !== null) own.query = copyOf(query);
  return own as Dispatcher.DispatchOptions;
}

function copyOf(record: object): object {
  const copy: Record<string, unknown> = { ...record };
  for (const name in copy) {
    const value = copy[name];
    if (Array.isArray(value)) copy[name] = [...value];
  }
  return copy;
}

function recordOf(headers: Iterable<unknown>): unknown {
  const list = [...headers];
  const isFlat = Array.isArray(headers) && !Array.isArray(list[0]);
  const pairs = isFlat ? inPairs(list) : list;
  // Others may have been readable only once.
  if (!pairs.every(isPair)) return isFlat ? list : { [Symbol.iterator]: () => list.values() };
  const byName = new Map<string, unknown>();
  for (const [name, value] of pairs) {
    if (value !== undefined) byName.set(name, byName.has(name) ? [byName.get(name), value].flat() : value);
  }
  return Object.fromEntries(byName);
}

/** The last one has no value if the list is odd. */
function inPairs(list: readonly unknown[]): readonly unknown[] {
  return list.flatMap((_, at) => (at % 2 === 0 ? [list.slice(at, at + 2)] : []));
}

function isPair(value: unknown): value is readonly [name: string, value: unknown] {
  return Array.isArray(value) && value.length === 2;
}

/**
 * The value of a request header.
 *
 * @param name in lower case
 */
export function requestHeader(headers: RequestHeaders, name: string): string | undefined {
  for (const [key, value] of Object.entries(headers ?? {})) {
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
 * Request headers with changes. Invalid ones stay as they are: undici refuses them.
 *
 * @param changes the later of two spellings of a name wins
 */
export function changedHeaders(headers: RequestHeaders, changes: SentHeaders): RequestHeaders {
  if (headers && (typeof headers !== 'object' || Symbol.iterator in headers)) return headers;
  const byName = new Map(Object.entries(changes).map((pair) => [pair[0].toLowerCase(), pair]));
  const kept = Object.entries(headers ?? {}).filter(([name]) => !byName.has(name.toLowerCase()));
  const added = [...byName.values()].filter(([, value]) => value !== undefined);
  return Object.fromEntries<unknown>([...kept, ...added]) as RequestHeaders;
}
