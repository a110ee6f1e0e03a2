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
    yield* headers as Iterable<[string, unknown]>;
  } else {
    yield* Object.entries(headers);
  }
}

/** The options with headers that can be read again, where they came as an iterator that is read only once. */
export function withLastingHeaders(options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions {
  const { headers } = options;
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return options;
  if (!(Symbol.iterator in headers && 'next' in headers)) return options;
  return { ...options, headers: [...headerPairs(headers)].flat() as string[] };
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
