import type { Outcome, Responded } from './outcome.ts';

const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

/** Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT */
const DATE =
  /^(?:\w{3}, (?=\d\d \w{3} \d{4} )|\w{6,9}, (?=\d\d-\w{3}-\d\d ))(\d\d).(\w{3}).(\d+) (\d\d):(\d\d):(\d\d) GMT$/i;
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (\S+) (\d{4})$/;

/**
 * An HTTP date in any of its three formats, in milliseconds since 1970; `undefined` for anything else. A two-digit year
 * that would be more than 50 years after `nowMs` is in the past.
 *
 * Source: RFC 9110 §5.6.7.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  // In the order of the others; the first digit of its day may be a space.
  const ordered = text.replace(ASCTIME, (_, weekday, month, day, time, year) => {
    return `${weekday}, ${day.replace(' ', 0)} ${month} ${year} ${time} GMT`;
  });
  const [, day, month = '', years = '', ...time] = DATE.exec(ordered) ?? [];
  const [hour = 0, minute = 0, second = 0] = time.map(Number);
  const monthIndex = MONTHS.indexOf(month.toLowerCase()) / 3;
  let year = Number(years);
  if (years.length === 2) {
    const thisYear = new Date(nowMs).getUTCFullYear();
    year += thisYear - (thisYear % 100);
    if (year > thisYear + 50) year -= 100;
  }
  const date = new Date(Date.UTC(year, monthIndex, Number(day)));
  // `Date` turns 31 November into 1 December. Second 60 is a leap second.
  const isDay = monthIndex % 1 === 0 && date.getUTCDate() === Number(day);
  return isDay && hour < 24 && minute < 60 && second < 61
    ? date.setUTCHours(hour, minute, second)
    : undefined;
}

const SECONDS = /^(\d+)(?:\.(\d{1,3})(\d*))?$/;
const NUMBER = /^\d+(\.\d+)?$/;

/** Up to the next comma, except the one after the weekday of a date. */
const LINE = /\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,)?[^,]+/gi;

/** The longest of several lines, which clients join with commas, in milliseconds; `undefined` if none is read. */
function longestMs(text: string | undefined, read: (line: string) => number | undefined): number | undefined {
  let mostMs: number | undefined;
  for (const [line] of text?.matchAll(LINE) ?? []) {
    const askedMs = read(line.trim());
    if (askedMs !== undefined) mostMs = Math.max(askedMs, mostMs ?? 0);
  }
  return mostMs;
}

/**
 * The wait that a response asks for with `Retry-After`, in milliseconds: seconds, or an HTTP date. A date is compared with
 * the `Date` of the same response, so that the clocks of the two machines need not agree; a date in the past is 0. Anything
 * else is ignored.
 *
 * Two extensions of the RFC, because servers use them: fractions of a second; and several fields, which clients join with
 * commas, of which the longest applies.
 *
 * Source: RFC 9110 §10.2.3.
 *
 * @example
 * ```ts
 * import type { Outcome } from '@ebb/core';
 * import { retryAfterMs } from '@ebb/core/adapter';
 *
 * const headers = new Headers({ 'retry-after': '2.5' });
 * const header = (name: string) => headers.get(name) ?? undefined;
 * const outcome: Outcome = { type: 'response', status: 503, header };
 * console.log(retryAfterMs(outcome, Date.now())); // 2500
 * ```
 */
export function retryAfterMs(outcome: Outcome, nowMs: number): number | undefined {
  if (outcome.type !== 'response') return undefined;
  return longestMs(outcome.header('retry-after'), (line) => {
    // Rounded up, so that a retry is never sent too early.
    const [, whole, thousandths = '', rest] = SECONDS.exec(line) ?? [];
    if (whole) return Number(whole + thousandths.padEnd(3, '0')) + (Number(rest) > 0 ? 1 : 0);
    const atMs = parseHttpDate(line, nowMs);
    if (atMs === undefined) return undefined;
    return Math.max(0, atMs - (parseHttpDate(outcome.header('date')?.trim() ?? '', nowMs) ?? nowMs));
  });
}

/**
 * The wait that a response asks for, in milliseconds: the longest of `Retry-After` and fields in milliseconds of some
 * providers. A `Retry-After` of up to a second more is the rounding of such a field, which then counts alone.
 *
 * Source: RFC 9110 §10.2.3; the SDKs of OpenAI (`retry-after-ms`), Azure (`x-ms-retry-after-ms`) and AWS
 * (`x-amz-retry-after`).
 *
 * @param fields the names of the fields in milliseconds
 */
export function askedWaitMs(
  response: Responded,
  nowMs: number,
  fields: readonly string[],
): number | undefined {
  const roundMs = retryAfterMs(response, nowMs);
  const preciseMs = longestMs(fields.map((name) => response.header(name)).join(','), (line) =>
    NUMBER.test(line) ? Number(line) : undefined,
  );
  if (preciseMs === undefined || roundMs === undefined) return preciseMs ?? roundMs;
  return roundMs - preciseMs < 1_000 ? preciseMs : roundMs;
}
