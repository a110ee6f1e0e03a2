import { describe, expect, test } from 'vitest';
import { askedWaitMs, retryAfterMs, sentAtMs } from './feedback.ts';
import { LONGEST_FIELD, LONGEST_LIST } from './headers.ts';
import type { Responded } from './outcome.ts';
import { serverFeedback } from './server-feedback.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

function response(headers: Readonly<Record<string, string>>, status = 429): Responded {
  return { type: 'response', status, header: (name) => headers[name] };
}

const spaces = (text: string, length: number): string => text.padEnd(length, ' ');
const zeros = (text: string, length: number): string => text.padStart(length, '0');

type Row = [name: string, longest: number, make: (length: number) => string, read: (text: string) => unknown];

/** Every field that is read, as long as may be and one longer: what is read of it, and what if it is not there. */
describe('a field that is longer than its ceiling is ignored, and not cut', () => {
  test.each<Row>([
    [
      'retry-after',
      LONGEST_FIELD,
      (n) => zeros('5', n),
      (text) => retryAfterMs(response({ 'retry-after': text }), NOW_MS),
    ],
    ...['retry-after-ms', 'x-ms-retry-after-ms', 'x-amz-retry-after'].map(
      (name) =>
        [
          name,
          LONGEST_FIELD,
          (n: number) => zeros('5', n),
          (text: string) => askedWaitMs(response({ [name]: text }), NOW_MS, [name]),
        ] as Row,
    ),
    [
      'date',
      LONGEST_FIELD,
      (n) => spaces('Sat, 21 Nov 2026 11:00:00 GMT', n),
      (date) => (sentAtMs(response({ date }), NOW_MS) === NOW_MS ? undefined : 'read'),
    ],
    [
      'age',
      LONGEST_FIELD,
      (n) => zeros('5', n),
      (age) =>
        serverFeedback(response({ age, 'ratelimit-remaining': '0' }), NOW_MS)?.remaining === 0
          ? undefined
          : 'read',
    ],
    ...['ratelimit', 'x-ratelimit', 'x-rate-limit'].flatMap((prefix) =>
      (['remaining', 'reset'] as const).map(
        (part) =>
          [
            `${prefix}-${part}`,
            LONGEST_FIELD,
            (n: number) => zeros(part === 'reset' ? '5' : '0', n),
            (text: string) => {
              const headers = {
                [`${prefix}-remaining`]: '0',
                [`${prefix}-reset`]: '7',
                [`${prefix}-${part}`]: text,
              };
              const pauseMs = serverFeedback(response(headers), NOW_MS)?.pauseMs;
              return pauseMs === (part === 'reset' ? 5_000 : 7_000) ? pauseMs : undefined;
            },
          ] as Row,
      ),
    ),
    [
      'ratelimit',
      LONGEST_LIST,
      (n) => `"x";r=0;t=5;a=${'b'.repeat(n - 14)}`,
      (ratelimit) => serverFeedback(response({ ratelimit }), NOW_MS)?.pauseMs || undefined,
    ],
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
