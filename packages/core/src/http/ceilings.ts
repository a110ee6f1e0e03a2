// The most that is read of what a server says. What is longer is ignored, and never cut: half of a number is another number.
// `ETag` and `Location` are taken whole: they are compared and passed on, and not read.

/** Of a number, a duration, a date, or a word, in characters. The longest of them that a server needs has 29. */
export const LONGEST_FIELD = 256;

/** Of a field that is a list, in characters: a dozen quotas. */
export const LONGEST_LIST = 1_024;

/** Of the id of an event, which is sent back as a header, in characters: servers refuse headers of more than 8 to 16 kB. */
export const LONGEST_ID = 4_096;

/**
 * Of a response body that is read before anyone reads it, or that a retry follows, in bytes: so that the end of a short one is seen, and
 * its connection can be used again. For a longer one, closing the connection is cheaper.
 */
export const MOST_READ_AHEAD_BYTES: number = 64 * 1024;

/** Of a body, or of one event of a stream, that is read whole, in bytes. */
export const MOST_READ_BYTES: number = 1024 * 1024;

/** A response, or what has its headers. */
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
