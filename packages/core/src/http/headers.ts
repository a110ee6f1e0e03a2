import { isObject } from '../base/errors.ts';

/** An object with a lookup by name, such as `Headers`. */
interface HeaderMap {
  get?(name: string): string | null;
}

/** Reads a header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/** A header of a response, or of an incoming request, by its lower-case name. A mock may have no headers, or a plain object. */
export function responseHeader(headers: unknown, name: string): string | undefined {
  if (!isObject(headers)) return undefined;
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

// Limits of the text that ebb reads from a server. Longer text is ignored, and never cut: half of a number is another number.
// `ETag` and `Location` have no limit: they are compared and passed on, and not read.

/** The longest number, duration, date, or word, in characters. A server needs 29. */
export const LONGEST_FIELD = 256;

/** The longest list in a field, in characters: a dozen quotas. */
export const LONGEST_LIST = 1_024;

/** The longest id of an event, in characters. It is sent back as a header, and servers refuse headers of more than 8 to 16 kB. */
export const LONGEST_ID = 4_096;

/**
 * The most that is read of a response body before anyone asks for it, or when a retry follows, in bytes. A short body ends within
 * it, so its connection can be used again; for a longer one, closing the connection is cheaper.
 */
export const MOST_READ_AHEAD_BYTES: number = 65_536;

/** The most that is kept of a body, or of one event of a stream, to read it whole, in bytes. */
export const MOST_READ_BYTES: number = 1_048_576;

/** A response, or an object with its headers. */
interface HasHeaders {
  header(name: string): string | undefined;
}

/** A response header by its lower-case name; `undefined` if there is none, or a longer one. */
export function shortHeader(
  response: HasHeaders,
  name: string,
  longest: number = LONGEST_FIELD,
): string | undefined {
  const text = response.header(name);
  return text !== undefined && text.length <= longest ? text : undefined;
}
