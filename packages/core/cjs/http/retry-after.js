"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.parseHttpDate = parseHttpDate;
exports.retryAfterMs = retryAfterMs;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Sun, 06 Nov 1994 08:49:37 GMT */
const IMF_FIXDATE = /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/i;
/** Sunday, 06-Nov-94 08:49:37 GMT */
const RFC_850 = /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/i;
/** Sun Nov  6 08:49:37 1994 */
const ASCTIME = /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i;
/**
 * An HTTP date in any of its three formats, in milliseconds since 1970; `undefined` for anything else. A two-digit year
 * that would be more than 50 years after `nowMs` is in the past.
 *
 * Source: RFC 9110 §5.6.7.
 */
function parseHttpDate(text, nowMs) {
    const parts = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups;
    if (parts === undefined)
        return undefined;
    const { day = '', month = '', time = '' } = parts;
    const monthIndex = MONTHS.indexOf(month.toLowerCase());
    if (monthIndex < 0)
        return undefined;
    let year = Number(parts.year);
    if (parts.year?.length === 2) {
        const thisYear = new Date(nowMs).getUTCFullYear();
        year += thisYear - (thisYear % 100);
        if (year > thisYear + 50)
            year -= 100;
    }
    const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
    const midnight = new Date(Date.UTC(year, monthIndex, Number(day)));
    // `Date` turns 31 November into 1 December. Second 60 is a leap second.
    if (midnight.getUTCDate() !== Number(day) || hour > 23 || minute > 59 || second > 60)
        return undefined;
    return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000;
}
const SECONDS = /^(?<whole>\d+)(?:\.(?<fraction>\d+))?$/;
/** Up to the next comma, except the one after the weekday of a date. */
const LINE = /\s*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,)?[^,]+/gi;
/** In milliseconds, rounded up, so that a retry is never sent too early. */
function parseSeconds(text) {
    const parts = SECONDS.exec(text)?.groups;
    if (parts === undefined)
        return undefined;
    const { whole, fraction = '' } = parts;
    const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
    return Number(whole) * 1_000 + milliseconds + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0);
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
function retryAfterMs(outcome, nowMs) {
    if (outcome.type !== 'response')
        return undefined;
    const text = outcome.header('retry-after');
    if (!text)
        return undefined;
    let mostMs;
    for (const [line] of text.matchAll(LINE)) {
        const askedMs = askedIn(line.trim(), outcome, nowMs);
        if (askedMs !== undefined)
            mostMs = Math.max(askedMs, mostMs ?? 0);
    }
    return mostMs;
}
function askedIn(line, response, nowMs) {
    const seconds = parseSeconds(line);
    if (seconds !== undefined)
        return seconds;
    const atMs = parseHttpDate(line, nowMs);
    if (atMs === undefined)
        return undefined;
    const sentMs = parseHttpDate(response.header('date')?.trim() ?? '', nowMs) ?? nowMs;
    return Math.max(0, atMs - sentMs);
}
//# sourceMappingURL=retry-after.js.map