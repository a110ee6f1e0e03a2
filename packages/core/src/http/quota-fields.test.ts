import { describe, expect, test } from 'vitest';
import { quotasOf, resetMs } from './quota-fields.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

test.each<[text: string | undefined, ms: number | undefined]>([
  ['60', 60_000],
  [' 60 ', 60_000],
  // From 1e8 it is seconds since 1970, and from 1e11 milliseconds since 1970.
  ['99999999', 99_999_999_000],
  ['100000000', 0],
  ['99999999999', 99_999_999_999_000 - NOW_MS],
  ['100000000000', 0],
  ['0.5', 500],
  ['0', 0],
  [String(NOW_MS / 1_000 + 5), 5_000],
  [`${NOW_MS / 1_000 + 5}.25`, 5_250],
  [String(NOW_MS + 5), 5],
  ['12ms', 12],
  ['1s', 1_000],
  ['6m0s', 360_000],
  [' 6m0s ', 360_000],
  ['1h2m3.5s', 3_723_500],
  [`${'9'.repeat(400)}s`, undefined],
  ['2026-11-21T12:00:05Z', 5_000],
  ['2026-11-21T13:00:05.250+01:00', 5_250],
  ['Sat, 21 Nov 2026 12:00:05 GMT', 5_000],
  ['2026-11-21T11:00:00Z', 0],
  ['2026-13-45T99:00:00Z', undefined],
  ['-60', undefined],
  ['1e9', undefined],
  ['Infinity', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('a reset of %j is %d ms away', (text, ms) => {
  const away = resetMs(text, NOW_MS);
  if (ms === undefined) expect(away).toBeUndefined();
  else expect(away).toBeCloseTo(ms, 3);
});

test('the reset is read only if nothing is left', () => {
  const read: string[] = [];
  const quotas = quotasOf(
    {
      header: (name) => {
        if (!name.startsWith('ratelimit-')) return undefined;
        read.push(name);
        return name === 'ratelimit-remaining' ? '5' : '60';
      },
    },
    () => expect.fail('the date was read'),
  );
  expect(quotas).toEqual([{ remaining: 5, resetMs: 0 }]);
  expect(read).toEqual(['ratelimit-remaining']);
});

describe('which quotas are read', () => {
  type Left = [remaining: number, resetMs: number];
  const tokens = { 'x-ratelimit-remaining-tokens': '9' };
  const project = { 'x-ratelimit-remaining-project-tokens': '0' };
  const window = { 'x-ratelimit-limit': '100', 'x-ratelimit-reset': '60' };
  const nine: Left[] = [[9, 0]];
  const none: Left[] = [[0, 0]];
  const unknown = { 'x-ratelimit-remaining-requests': '-1' };

  test.each<[story: string, headers: object, left: Left[], cost?: number, isRefusal?: boolean]>([
    ['a rarer unit beside a usual one', { ...tokens, ...project }, [...nine, ...none]],
    ['also if the usual one is not known', { ...unknown, ...project }, none],
    ['but not alone', project, []],
    ['except in a refusal', project, none, 1, true],
    ['without a unit requests count: one is left', { ...window, 'x-ratelimit-remaining': '1' }, [[1, 0]], 10],
    ['and comes back at the end', { ...window, 'x-ratelimit-remaining': '0' }, [[0, 60_000]], 10],
    ['a request of ten tokens lacks one', { ...tokens, 'x-ratelimit-reset-tokens': '6' }, [[9, 6_000]], 10],
  ])('%s', (_, headers, left, cost, isRefusal) => {
    const quotas = quotasOf({ header: (name) => Reflect.get(headers, name) }, () => NOW_MS, cost, isRefusal);
    expect(quotas).toEqual(left.map(([remaining, resetMs]) => ({ remaining, resetMs })));
  });
});
