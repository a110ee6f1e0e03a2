import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from './outcome.ts';
import { parseHttpDate, retryAfterMs } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

function response(headers: Record<string, string>): Outcome {
  return { type: 'response', status: 503, header: (name) => headers[name] };
}

describe('Retry-After', () => {
  test.each<[value: string, expected: number | undefined]>([
    ['0', 0],
    ['120', 120_000],
    ['007', 7_000],
    [' 1 ', 1_000],
    ['3000000', 3_000_000_000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
    ['Sat Nov 21 12:00:30 2026', 30_000],
    ['Sat Nov  7 12:00:30 2026', 0],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Mon, 01 Jan 2300 00:00:00 GMT', Date.UTC(2300, 0, 1) - NOW],
    ['', undefined],
    ['-5', undefined],
    ['+5', undefined],
    ['1.5', undefined],
    ['0x10', undefined],
    ['1e3', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['1, 2', undefined],
    ['1 2', undefined],
    ['soon', undefined],
    ['2026-11-21T12:00:30Z', undefined],
    ['Sat, 31 Nov 2026 12:00:30 GMT', undefined],
    ['Sat, 21 Nov 2026 24:00:00 GMT', undefined],
    ['Sat, 21 Foo 2026 12:00:30 GMT', undefined],
    ['Sat, 21 Nov 2026 12:00:30 CET', undefined],
    ['Sat, 21 Nov 2026 12:00:30', undefined],
  ])('%j asks for %j ms', (value, expected) => {
    expect(retryAfterMs(response({ 'retry-after': value }), NOW)).toBe(expected);
  });

  test('a date counts from the Date of the same response, whatever our own clock says', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 12:01:00 GMT', date: 'Sat, 21 Nov 2026 12:00:50 GMT' };
    for (const skewMs of [-3_600_000, 0, 3_600_000]) {
      expect(retryAfterMs(response(headers), NOW + skewMs)).toBe(10_000);
    }
  });

  test('a Date that is none leaves our own clock', () => {
    const headers = { 'retry-after': 'Sat, 21 Nov 2026 12:01:00 GMT', date: 'yesterday' };
    expect(retryAfterMs(response(headers), NOW)).toBe(60_000);
  });

  test('a failure asks for nothing', () => {
    expect(retryAfterMs({ type: 'failure', kind: 'network', error: undefined }, NOW)).toBeUndefined();
  });

  test('no text whatever throws, or asks for less than nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.float().map(String)), (value) => {
        const askedMs = retryAfterMs(response({ 'retry-after': value }), NOW) ?? 0;
        expect(askedMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('HTTP dates', () => {
  test('the three forms of one instant are one', () => {
    const expected = Date.UTC(1994, 10, 6, 8, 49, 37);
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', NOW)).toBe(expected);
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NOW)).toBe(expected);
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994', NOW)).toBe(expected);
  });

  test('two digits of a year are at most 50 years ahead', () => {
    expect(parseHttpDate('Sunday, 06-Nov-76 00:00:00 GMT', NOW)).toBe(Date.UTC(2076, 10, 6));
    expect(parseHttpDate('Sunday, 06-Nov-77 00:00:00 GMT', NOW)).toBe(Date.UTC(1977, 10, 6));
  });

  test('every second has its date, and the date its second', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseHttpDate(date.toUTCString(), NOW)).toBe(Math.floor(date.getTime() / 1_000) * 1_000);
        },
      ),
    );
  });
});
