import { describe, expect, test } from 'vitest';
import { askedWaitMs, retryAfterMs, sentAtMs } from './feedback.ts';
import { LONGEST_FIELD, LONGEST_LIST } from './headers.ts';
import type { ResponseOutcome } from './outcome.ts';
import { serverFeedback } from './server-feedback.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

function response(headers: Readonly<Record<string, string>>, status = 429): ResponseOutcome {
  return { type: 'response', status, header: (name) => headers[name] };
}

/** A text of that length. */
type Make = (length: number) => string;
type Row = [name: string, longest: number, make: Make, read: (text: string) => unknown];

const five: Make = (length) => '5'.padStart(length, '0');
const zero: Make = (length) => '0'.padStart(length, '0');
const date: Make = (length) => 'Sat, 21 Nov 2026 11:00:00 GMT'.padEnd(length, ' ');
const list: Make = (length) => `"x";r=0;t=5;a=${'b'.repeat(length - 14)}`;

const feedbackOf = (headers: Readonly<Record<string, string>>) => serverFeedback(response(headers), NOW_MS);
const waitIn = (name: string) => (text: string) => askedWaitMs(response({ [name]: text }), NOW_MS, [name]);

/** The pause that is read from a family of fields, of which one is this text; `undefined` if that is not read. */
const pauseIn = (prefix: string, part: 'remaining' | 'reset') => (text: string) => {
  const headers = { [`${prefix}-remaining`]: '0', [`${prefix}-reset`]: '7', [`${prefix}-${part}`]: text };
  const pauseMs = feedbackOf(headers)?.pauseMs;
  return pauseMs === (part === 'reset' ? 5_000 : 7_000) ? pauseMs : undefined;
};

const isDateRead = (date: string) => sentAtMs(response({ date }), NOW_MS) !== NOW_MS || undefined;
const isAgeRead = (age: string) =>
  feedbackOf({ age, 'ratelimit-remaining': '0' })?.remaining !== 0 || undefined;

/** Every field that is read, as long as may be and one longer: what is read of it, and what if it is not there. */
describe('a field that is longer than its ceiling is ignored, and not cut', () => {
  test.each<Row>([
    ['retry-after', LONGEST_FIELD, five, (text) => retryAfterMs(response({ 'retry-after': text }), NOW_MS)],
    ...['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after'].map(
      (name): Row => [name, LONGEST_FIELD, five, waitIn(name)],
    ),
    ['date', LONGEST_FIELD, date, isDateRead],
    ['age', LONGEST_FIELD, five, isAgeRead],
    ...['ratelimit', 'x-ratelimit', 'x-rate-limit'].flatMap((prefix): Row[] => [
      [`${prefix}-remaining`, LONGEST_FIELD, zero, pauseIn(prefix, 'remaining')],
      [`${prefix}-reset`, LONGEST_FIELD, five, pauseIn(prefix, 'reset')],
    ]),
    ['ratelimit', LONGEST_LIST, list, (ratelimit) => feedbackOf({ ratelimit })?.pauseMs || undefined],
  ])('%s', (_, longest, make, read) => {
    expect(make(longest)).toHaveLength(longest);
    expect(read(make(longest))).toBeDefined();
    expect(read(make(longest + 1))).toBeUndefined();
  });
});

/** What a hostile server can fill a field with. */
test.each(['9', ' ', ',', ';', '"', '-', '.', 'a', '1s', '1.', ', 3', '"a";r=1,', 'r=0;'])(
  'fields full of %j make no number that is not finite',
  (fill) => {
    for (const length of [1, 255, 256, 1_024, 4_096, 16_384]) {
      const text = fill.repeat(Math.ceil(length / fill.length)).slice(0, length);
      const said = serverFeedback({ ...response({}), header: () => text }, NOW_MS);
      for (const value of Object.values(said ?? {})) expect(value).not.toBeNaN();
      expect(Number.isFinite(said?.pauseMs ?? 0)).toBe(true);
    }
  },
);
