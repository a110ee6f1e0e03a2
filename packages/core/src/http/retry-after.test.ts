import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseHttpDate, retryAfterMs } from './feedback.ts';
import type { Outcome } from './outcome.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

const DAYS: Readonly<Record<string, string>> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
};

type DateParts = [day: string, date: string, month: string, year: string, time: string];

const asDate =
  (form: (...parts: DateParts) => string) =>
  (seconds: number): [line: string, askedMs: number] => {
    const text = new Date(NOW + seconds * 1_000).toUTCString();
    return [form(...(text.split(/,? /) as DateParts)), seconds * 1_000];
  };

/** A field `Retry-After` in each format, with its milliseconds. */
const FORMS: readonly ((seconds: number) => [line: string, askedMs: number | undefined])[] = [
  (seconds) => [String(seconds), seconds * 1_000],
  (seconds) => [`${seconds}.25`, seconds * 1_000 + 250],
  asDate((day, date, month, year, time) => `${day}, ${date} ${month} ${year} ${time} GMT`),
  asDate((day, date, month, year, time) => `${DAYS[day]}, ${date}-${month}-${year.slice(2)} ${time} GMT`),
  asDate((day, date, month, year, time) => `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`),
  () => ['soon', undefined],
];

function response(headers: Record<string, string>): Outcome {
  return { type: 'response', status: 503, header: (name) => headers[name] };
}

describe('Retry-After', () => {
  test.each<[value: string, expected: number | undefined]>([
    ['', undefined],
    ['0', 0],
    ['120', 120_000],
    ['007', 7_000],
    [' 1 ', 1_000],
    ['3000000', 3_000_000_000],
    ['9'.repeat(256), 1e259],
    ['9'.repeat(257), undefined],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
    ['Sat Nov 21 12:00:30 2026', 30_000],
    ['Sat Nov  7 12:00:30 2026', 0],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Sat, 21 Nov 2026 12:00:30', 30_000],
    ['Sat, 21 Nov 2026 13:00:30 +0100', 30_000],
    ['Mon, 01 Jan 2300 00:00:00 GMT', Date.UTC(2300, 0, 1) - NOW],
    ['1.5', 1_500],
    ['0.5', 500],
    ['0.0', 0],
    // Rounded up, by less than a millisecond.
    ['1.00100000001', 1_002],
    // Several fields are joined by commas: the longest applies.
    ['5,3', 5_000],
    ['-5, 3', 3_000],
    [', 3, ', 3_000],
    ['Sat, soon, 3', 3_000],
  ])('%j asks for %j ms', (value, expected) => {
    expect(retryAfterMs(response({ 'retry-after': value }), NOW)).toBe(expected);
  });

  test.each(
    [
      ', | soon, later | .5 | 5. | 1.2.3 | 1.5e3 | -0.5 | -5 | +5 | 0x10 | 1e3 | Infinity | NaN',
      '1 2 | soon | 2026-11-21T12:00:30Z | Sat, 21 Foo 2026 12:00:30 GMT',
      'Sat, 21 Nov 2026 12:00:30 CET | 21 Nov 2026 12:00:30 GMT',
    ].flatMap((line) => line.split(' | ')),
  )('%j asks for nothing', (value) => {
    expect(retryAfterMs(response({ 'retry-after': value }), NOW)).toBeUndefined();
  });

  test('a date is compared with the Date of the same response, not with our clock', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 12:01:00 GMT', date: 'Sat, 21 Nov 2026 12:00:50 GMT' };
    for (const skewMs of [-3_600_000, 0, 3_600_000]) {
      expect(retryAfterMs(response(headers), NOW + skewMs)).toBe(10_000);
    }
  });

  test('with an invalid Date our clock is used', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 12:01:00 GMT', date: 'yesterday' };
    expect(retryAfterMs(response(headers), NOW)).toBe(60_000);
  });

  test('of several fields the longest applies, in any format', () => {
    const line = fc.record({
      seconds: fc.integer({ min: 0, max: 86_400 }),
      form: fc.constantFrom(...FORMS),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const asked = lines.map(({ seconds, form }) => form(seconds));
        const known = asked.flatMap(([, ms]) => ms ?? []);
        const expected = known.length === 0 ? undefined : Math.max(...known);
        const joined = asked.map(([text]) => text).join(', ');
        expect(retryAfterMs(response({ 'retry-after': joined }), NOW)).toBe(expected);
      }),
    );
  });

  test('a fraction is rounded up to a millisecond', () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.stringMatching(/^\d{1,9}$/), (whole, fraction) => {
        const askedMs = retryAfterMs(response({ 'retry-after': `${whole}.${fraction}` }), NOW) ?? Number.NaN;
        const exactPicoseconds = BigInt(whole) * 10n ** 12n + BigInt(fraction.padEnd(12, '0'));
        const latePicoseconds = BigInt(askedMs) * 10n ** 9n - exactPicoseconds;
        expect(latePicoseconds >= 0n && latePicoseconds < 10n ** 9n).toBe(true);
      }),
    );
  });
});

describe('HTTP dates', () => {
  test('a date without a zone is in GMT, wherever the program runs', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(new Date().getTimezoneOffset()).toBe(-540);
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994')).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37')).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
  });

  test('every second survives the round trip through a date', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseHttpDate(date.toUTCString())).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
        },
      ),
    );
  });
});
