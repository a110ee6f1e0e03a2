import { inDevelopment } from '#dev-text';
import { type Check, callable } from '../base/check.ts';
import { HookError, property } from '../base/errors.ts';
import { must, mustHaveFields } from '../base/options.ts';
import type { Random } from '../base/time.ts';
import { shortHeader } from './headers.ts';
import type { Feedback, FeedbackCost, Outcome, ReadFeedback, ResponseOutcome } from './outcome.ts';

/** All three formats of HTTP begin with the name of a weekday, also that of `asctime`, which has no zone. */
const DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .+$/i;
const NO_ZONE = /\d$(?<![+-]\d{4})/;

/**
 * An HTTP date in any of its formats, in milliseconds since 1970; `undefined` for anything else. It is read as `Date.parse` does.
 *
 * Source: RFC 9110 §5.6.7.
 */
export function parseHttpDate(text: string): number | undefined {
  const atMs = DATE.test(text) ? Date.parse(NO_ZONE.test(text) ? `${text} GMT` : text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** When a response was sent by its own `Date`, or now, in milliseconds since 1970. */
export function sentAtMs(response: ResponseOutcome, nowMs: number): number {
  return parseHttpDate(shortHeader(response, 'date')?.trim() ?? '') ?? nowMs;
}

const NUMBER = /^\d+(\.\d+)?$/;

/** Between lines, which clients join with commas: not the comma after the weekday of a date. */
const COMMA = /,(?! \d\d[ -]\D)/;

/** The longest of several lines, in milliseconds; `undefined` if none is read. */
function longestMs(text: string | undefined, read: (line: string) => number | undefined): number | undefined {
  // Most responses have no such field.
  if (!text) return undefined;
  let mostMs: number | undefined;
  for (const line of text.split(COMMA)) {
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
  return longestMs(shortHeader(outcome, 'retry-after'), (line) => {
    // Rounded up, so that a retry is never sent too early. Not multiplied, which would not be exact.
    if (NUMBER.test(line)) return Math.ceil(Number(`${line}e3`));
    const atMs = parseHttpDate(line);
    if (atMs === undefined) return undefined;
    return Math.max(0, atMs - sentAtMs(outcome, nowMs));
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
  response: ResponseOutcome,
  nowMs: number,
  fields: readonly string[],
): number | undefined {
  const roundMs = retryAfterMs(response, nowMs);
  const preciseMs = longestMs(fields.map((name) => shortHeader(response, name)).join(','), (line) =>
    NUMBER.test(line) ? Number(line) : undefined,
  );
  if (preciseMs === undefined || roundMs === undefined) return preciseMs ?? roundMs;
  return roundMs - preciseMs < 1_000 ? preciseMs : roundMs;
}

/**
 * Adds up to a fifth, at most a second, to the wait that a server asked for: clients with the same wait do not return together.
 */
export function withJitter(waitMs: number, random: Random): number {
  return waitMs + random() * Math.min(waitMs / 5, 1_000);
}

/** A `feedback` option. */
export const checkFeedback: Check = (name, value) =>
  inDevelopment(() => value === false || callable(name, value));

/** True if `Retry-After` on this status is about load, and not about a redirect or another condition of the resource. */
export function isAboutLoad(status: number): boolean {
  return status === 403 || status === 413 || status === 429 || status >= 500;
}

/**
 * Calls a `feedback` option.
 *
 * @throws HookError if it throws, or returns something else than feedback or nothing
 */
export function readFeedback(
  feedback: ReadFeedback,
  outcome: Outcome,
  nowMs: number,
  cost: FeedbackCost,
): Feedback | undefined {
  try {
    // `null` says nothing, as `undefined` does.
    const said = feedback(outcome, nowMs, cost) ?? undefined;
    if (said)
      // Not a function of its own, which bundlers would keep.
      inDevelopment(() => {
        mustHaveFields('its result', 'an object, or undefined', said);
        // A field of each type. A number may be NaN, which counts as none.
        const like: Record<keyof Feedback, number | boolean> = {
          pauseMs: 0,
          remaining: 0,
          waitMs: 0,
          tooFast: false,
          shouldRetry: false,
        };
        for (const [field, one] of Object.entries(like)) {
          const value = property(said, field);
          const takes = one === 0 ? 'a number' : 'true or false';
          must(`its result: ${field}`, takes, value, value === undefined || typeof value === typeof one);
        }
      });
    return said;
  } catch (cause) {
    throw new HookError('feedback', cause);
  }
}

/**
 * How a policy reads responses by default: the longest of `Retry-After` and `retry-after-ms`, and nothing else. A redirect and
 * a success say nothing.
 *
 * Source: RFC 9110 §10.2.3; the SDK of OpenAI (`retry-after-ms`).
 */
export const plainFeedback: ReadFeedback = (outcome, nowMs) => {
  if (outcome.type !== 'response') return undefined;
  const { status, advice } = outcome;
  if (status < 400 && (status >= 300 || !advice)) return undefined;
  const waitMs = askedWaitMs(outcome, nowMs, ['retry-after-ms']);
  // The pause is for buckets, which read more than this.
  return waitMs ? { pauseMs: 0, remaining: undefined, tooFast: false, waitMs } : undefined;
};
