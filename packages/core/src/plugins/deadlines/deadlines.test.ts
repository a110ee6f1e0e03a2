import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callTo, REQUEST } from '../../../test/call-with-limits.ts';
import { NotSentError } from '../../base/errors.ts';
import type { CallView } from '../../policy/call-view.ts';
import { virtualClock } from '../../testing.ts';
import { deadline } from './deadline.ts';
import { timeIn, timeText } from './header.ts';
import { remainingFrom } from './remaining-time.ts';

const ENVOY = 'x-envoy-expected-rq-timeout-ms';

test.each<[header: string, ms: number, text: string]>([
  [ENVOY, 1_499.9, '1499'],
  [ENVOY, 0.4, '0'],
  ['grpc-timeout', 1_499.9, '1499m'],
  ['Grpc-Timeout', 99_999_999, '99999999m'],
  ['grpc-timeout', 100_000_500, '100000S'],
  ['grpc-timeout', 1e15, '99999999S'],
])('%s for %s ms is %s', (header, ms, text) => {
  expect(timeText(header, ms)).toBe(text);
});

test.each<[header: string, text: string | undefined, ms: number | undefined]>([
  [ENVOY, '250', 250],
  [ENVOY, undefined, undefined],
  [ENVOY, '', undefined],
  [ENVOY, '-1', undefined],
  [ENVOY, '1e3', undefined],
  [ENVOY, '250m', undefined],
  ['grpc-timeout', '2H', 7_200_000],
  ['grpc-timeout', '3M', 180_000],
  ['grpc-timeout', '4S', 4_000],
  ['grpc-timeout', '5m', 5],
  ['grpc-timeout', '1500u', 1.5],
  ['grpc-timeout', '2000000n', 2],
  ['grpc-timeout', '5', undefined],
  ['grpc-timeout', '123456789m', undefined],
])('%s: %s is %s ms', (header, text, ms) => {
  expect(timeIn(header, text)).toBe(ms);
});

test('what is read is never more than what was written, and at most a unit less', () => {
  const header = fc.constantFrom(ENVOY, 'grpc-timeout');
  fc.assert(
    fc.property(header, fc.double({ min: 0, max: 1e10, noNaN: true }), (name, ms) => {
      const read = timeIn(name, timeText(name, ms)) as number;
      expect(read).toBeLessThanOrEqual(ms);
      expect(read).toBeGreaterThan(ms - (ms < 99_999_999 ? 1 : 1_000) - 1e-3);
    }),
  );
});

describe('the headers of an attempt', () => {
  const headersOf = (call: object, options = {}) => {
    const next = { attempt: 1, request: REQUEST, previous: undefined, leftMs: undefined };
    const changes = deadline(options).publicHeaders?.(next, call as CallView);
    return Object.fromEntries(
      Object.entries(changes as Record<string, unknown>).map(([name, value]) => [
        name,
        typeof value === 'function' ? value() : value,
      ]),
    );
  };

  test.each<[what: string, call: object, left: string | undefined]>([
    ['a total timeout', { deadline: { leftMs: 800.7 }, policy: {} }, '800'],
    ['a shorter attempt', { deadline: { leftMs: 800.7 }, policy: { attemptTimeoutMs: 300 } }, '300'],
    ['a longer attempt', { deadline: { leftMs: 800.7 }, policy: { attemptTimeoutMs: 900 } }, '800'],
    ['an attempt whose hooks took time', { policy: { attemptTimeoutMs: 1_000 }, hookMs: 600 }, '400'],
    ['no time left', { deadline: { leftMs: -3 }, policy: {} }, '0'],
    ['no timeout', { policy: {} }, undefined],
  ])('%s', (_, call, left) => {
    expect(headersOf(call)).toEqual({ [ENVOY]: left, 'x-caller-retries': '1' });
  });

  test('without a timeout leave a header of the caller', () => {
    expect(headersOf({ policy: {} })).not.toHaveProperty(ENVOY);
  });

  test('have the names of the options', () => {
    const call = { deadline: { leftMs: 800 }, policy: {} };
    expect(headersOf(call, { header: 'grpc-timeout', retriesHeader: 'x-r' })).toEqual({
      'grpc-timeout': '800m',
      'x-r': '1',
    });
    expect(() => deadline({ header: 'a b' })).toThrow('deadline: header must be the name of a header');
  });
});

test('a request whose time is up is not sent', () => {
  const { call } = callTo({ totalTimeoutMs: 0, plugins: [deadline()] });
  const step = call.next();
  expect(step).toMatchObject({ do: 'end', error: { name: 'NotSentError', reason: 'wait-too-long' } });
  expect(Object(step).error).toBeInstanceOf(NotSentError);
  expect(callTo({ totalTimeoutMs: 1, plugins: [deadline()] }).call.next()).toEqual({ do: 'send' });
  expect(callTo({ plugins: [deadline()] }).call.next()).toEqual({ do: 'send' });
});

describe('what remains of an incoming request', () => {
  const clock = virtualClock();

  test.each<[what: string, headers: Record<string, string | string[]>, ms: number, maxRetries?: 0]>([
    ['no header', {}, 5_000],
    ['less than the most', { [ENVOY]: '1500' }, 1_500],
    ['more than the most', { [ENVOY]: '9000' }, 5_000],
    ['no time', { [ENVOY]: '0' }, 0],
    ['a wrong time', { [ENVOY]: 'soon' }, 5_000],
    ['two times', { [ENVOY]: ['1', '2'] }, 5_000],
    ['a caller that retries', { [ENVOY]: '1500', 'x-caller-retries': '1' }, 1_500, 0],
  ])('%s', (_, headers, totalTimeoutMs, maxRetries) => {
    const expected = maxRetries === undefined ? { totalTimeoutMs } : { totalTimeoutMs, maxRetries };
    expect({ ...remainingFrom({ headers }, { mostMs: 5_000, clock }) }).toEqual(expected);
    const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    expect({
      ...remainingFrom(new Request('http://a.test/', { headers: pairs }), { mostMs: 5_000, clock }),
    }).toEqual(expected);
  });

  test('goes down with the time, to 0', () => {
    const remaining = remainingFrom({ headers: { [ENVOY]: '1500' } }, { mostMs: 5_000, clock });
    clock.tick(1_000);
    expect(remaining.totalTimeoutMs).toBe(500);
    clock.tick(1_000);
    expect(remaining.totalTimeoutMs).toBe(0);
  });

  test('is read from the headers of the options', () => {
    const options = { header: 'grpc-timeout', retriesHeader: 'x-r', mostMs: 5_000, clock };
    const headers = { 'grpc-timeout': '2S', 'x-r': '1' };
    expect({ ...remainingFrom({ headers }, options) }).toEqual({ totalTimeoutMs: 2_000, maxRetries: 0 });
    expect(() => remainingFrom({ headers }, {} as never)).toThrow('remainingFrom: mostMs');
  });
});
