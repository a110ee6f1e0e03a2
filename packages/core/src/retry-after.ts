import type { Outcome } from './outcome.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Sun, 06 Nov 1994 08:49:37 GMT */
const IMF_FIXDATE = /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/i;
/** Sunday, 06-Nov-94 08:49:37 GMT */
const RFC_850 = /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/i;
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME = /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i;

/**
 * Milliseconds since the epoch of an HTTP date in any of its three forms; `undefined` for anything else. A
 * two-digit year that seems more than 50 years ahead of `nowMs` is one of the past.
 *
 * Source: RFC 9110 §5.6.7.
 */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  const parts = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (parts === undefined) return undefined;
  const { day = '', month = '', time = '' } = parts;
  const monthIndex = MONTHS.indexOf(month.toLowerCase());
  if (monthIndex < 0) return undefined;
  let year = Number(parts.year);
  if (parts.year?.length === 2) {
    const thisYear = new Date(nowMs).getUTCFullYear();
    year += thisYear - (thisYear % 100);
    if (year > thisYear + 50) year -= 100;
  }
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  const midnight = new Date(Date.UTC(year, monthIndex, Number(day)));
  // A 31 November rolls over into December. Second 60 is a leap second.
  if (midnight.getUTCDate() !== Number(day) || hour > 23 || minute > 59 || second > 60) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}

/**
 * How long a response asks to wait, in milliseconds: `Retry-After` as whole seconds, or as an HTTP date that
 * is measured against the response's own `Date`, so that the two machines' clocks need not agree. A date that
 * is past asks for no wait. What is neither is ignored.
 *
 * Source: RFC 9110 §10.2.3.
 */
export function retryAfterMs(outcome: Outcome, nowMs: number): number | undefined {
  if (outcome.type !== 'response') return undefined;
  const text = outcome.header('retry-after')?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const atMs = parseHttpDate(text, nowMs);
  if (atMs === undefined) return undefined;
  const sentMs = parseHttpDate(outcome.header('date')?.trim() ?? '', nowMs) ?? nowMs;
  return Math.max(0, atMs - sentMs);
}
