import { describe, expect, test } from 'vitest';
import type { Outcome } from './outcome.ts';
import { quotasOf, resetMs } from './quota-fields.ts';
import { serverFeedback } from './server-feedback.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);
const NOW = 'Sat, 21 Nov 2026 12:00:00 GMT';

function response(status: number, headers: Record<string, string>): Outcome {
  return { type: 'response', status, header: (name) => headers[name] };
}

type Row = [
  story: string,
  status: number,
  headers: Record<string, string>,
  said: { pauseMs: number; remaining?: number; tooFast?: boolean } | undefined,
];

function judge(_: string, status: number, headers: Row[2], said: Row[3]): void {
  const expected = said && { remaining: undefined, tooFast: false, ...said };
  expect(serverFeedback(response(status, headers), NOW_MS)).toEqual(expected);
}

describe('Retry-After', () => {
  test.each<Row>([
    ['seconds', 429, { 'retry-after': '3' }, { pauseMs: 3_000, tooFast: true }],
    [
      'a date, by the date of the response itself',
      503,
      { 'retry-after': 'Sat, 21 Nov 2026 10:00:05 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' },
      { pauseMs: 5_000, tooFast: true },
    ],
    [
      'milliseconds, which are more exact',
      429,
      { 'retry-after': '2', 'retry-after-ms': '1234.5' },
      { pauseMs: 1_234.5, tooFast: true },
    ],
    [
      'milliseconds that are none',
      429,
      { 'retry-after': '2', 'retry-after-ms': '-5' },
      { pauseMs: 2_000, tooFast: true },
    ],
    [
      'the largest of several lines',
      429,
      { 'retry-after': '3, 0.5', 'retry-after-ms': '20.5, soon, 30' },
      { pauseMs: 30, tooFast: true },
    ],
    ['fractions of a second', 429, { 'retry-after': '0.5, 0.25' }, { pauseMs: 500, tooFast: true }],
    ['an error of the server', 500, { 'retry-after': '1' }, { pauseMs: 1_000 }],
    [
      'a date, by that of the response with blanks around it',
      503,
      {
        'ratelimit-remaining': '0',
        'ratelimit-reset': String(NOW_MS / 1_000),
        date: ' Sat, 21 Nov 2026 11:59:00 GMT ',
      },
      { pauseMs: 60_000, remaining: 0, tooFast: true },
    ],
    ['a secondary limit of GitHub', 403, { 'retry-after': '60' }, { pauseMs: 60_000 }],
    ['413, which may be temporary', 413, { 'retry-after': '60' }, { pauseMs: 60_000 }],
    ['overload', 529, { 'retry-after': '1' }, { pauseMs: 1_000 }],
    ['what it says beside a success is not of load', 202, { 'retry-after': '60' }, undefined],
    ['nor beside a page that is not there', 404, { 'retry-after': '60' }, undefined],
    [
      'a billion seconds are passed on, for the bucket to cap',
      429,
      { 'retry-after': '1000000000' },
      { pauseMs: 1e12, tooFast: true },
    ],
    ['1e9 is no number of seconds', 429, { 'retry-after': '1e9' }, { pauseMs: 0, tooFast: true }],
    [
      'it wins over the quota',
      429,
      { 'retry-after': '3', ratelimit: '"x";r=0;t=90' },
      { pauseMs: 3_000, remaining: 0, tooFast: true },
    ],
    ['a plain 429 asks for no pause', 429, {}, { pauseMs: 0, tooFast: true }],
    ['a plain 503 says nothing', 503, {}, undefined],
    [
      'a 503 with a quota that is not used up is not too fast',
      503,
      { ratelimit: '"x";r=5;t=2' },
      { pauseMs: 0, remaining: 5 },
    ],
  ])('%s', judge);
});

describe('the RateLimit fields', () => {
  test.each<Row>([
    // Draft 08 and later: a list.
    ['a list', 200, { ratelimit: '"default";r=50;t=30' }, { pauseMs: 0, remaining: 50 }],
    [
      'a field that is as long as may be',
      200,
      { ratelimit: `"x";r=0;t=5;a=${'b'.repeat(1_986)}` },
      { pauseMs: 5_000, remaining: 0 },
    ],
    ['a field that is longer', 200, { ratelimit: `"x";r=0;t=5;a=${'b'.repeat(1_987)}` }, undefined],
    ['a list with nothing left', 200, { ratelimit: '"default";r=0;t=30' }, { pauseMs: 30_000, remaining: 0 }],
    [
      'the longest of what is used up',
      200,
      { ratelimit: '"s";r=0;t=1, "h";r=0;t=60,"d";r=9;t=80000' },
      { pauseMs: 60_000, remaining: 0 },
    ],
    ['nothing left and no time', 200, { ratelimit: '"x";r=0' }, { pauseMs: 0, remaining: 0 }],
    ['a name that is a token', 200, { ratelimit: 'default;r=0;t=2' }, { pauseMs: 2_000, remaining: 0 }],
    [
      'parameters of others',
      200,
      { ratelimit: '"a\\"b";pk=:dXNlcg==:;r=0;x="; r=7, t=9";t=2;u' },
      { pauseMs: 2_000, remaining: 0 },
    ],
    ['blanks', 200, { ratelimit: '  "a" ; r=0 ; t=2  ,  "b"; r=4 ' }, { pauseMs: 2_000, remaining: 0 }],
    // Draft 07: a dictionary.
    ['a dictionary', 200, { ratelimit: 'limit=100, remaining=0, reset=5' }, { pauseMs: 5_000, remaining: 0 }],
    [
      'a dictionary with something left',
      200,
      { ratelimit: 'limit=100, remaining=1, reset=5' },
      { pauseMs: 0, remaining: 1 },
    ],
    [
      'a dictionary with blanks around it, and no time',
      200,
      { ratelimit: '  limit=100, remaining=0 ' },
      { pauseMs: 0, remaining: 0 },
    ],
    // Until draft 06: three fields.
    [
      'three fields with blanks',
      200,
      { 'ratelimit-remaining': ' 0 ', 'ratelimit-reset': ' 7 ' },
      { pauseMs: 7_000, remaining: 0 },
    ],
    [
      'three fields',
      200,
      { 'ratelimit-limit': '100, 100;w=10', 'ratelimit-remaining': '0', 'ratelimit-reset': '7' },
      { pauseMs: 7_000, remaining: 0 },
    ],
    [
      'three fields with a date, as GitLab has them',
      200,
      { 'ratelimit-remaining': '0', 'ratelimit-reset': String(NOW_MS / 1_000 + 9) },
      { pauseMs: 9_000, remaining: 0 },
    ],
    ['on a refusal', 429, { ratelimit: '"x";r=0;t=2' }, { pauseMs: 2_000, remaining: 0, tooFast: true }],
  ])('%s', judge);

  test.each([
    '"x";r=-1',
    '"x";r=-1;t=5',
    '"x";r=0;t=-5',
    '"x";r=0;t=1.5',
    '"x";r=0;t=1e3',
    '"x";r=0;t=9999999999999999',
    '"x";t=5',
    '"x";r',
    '"x;r=0;t=5',
    '"x";r=0;t=5,',
    '"x";r=0;t=5 "y";r=1',
    '"x";r=0;t=5, ;r=1',
    ', "x";r=0;t=5',
    'limit=100',
    'remaining=-1, reset=5',
    'remaining=0, reset=soon',
    'r=0;t=5',
    '{}',
    `"${'x'.repeat(5_000)}";r=0;t=5`,
    `"x";r=0${';a'.repeat(2_000)}`,
  ])('%s is malformed, and ignored as a whole', (ratelimit) => {
    expect(serverFeedback(response(200, { ratelimit }), NOW_MS)).toBeUndefined();
  });

  // A regular expression with exponential backtracking would hang on these.
  test.each([';a', '"x";r=0,', ' ', ';a="', '\\"', ';a=b ', 'a'])(
    'many times %j is read in no time',
    (part) => {
      const ratelimit = part.repeat(Math.floor(2_000 / part.length));
      expect(serverFeedback(response(200, { ratelimit }), NOW_MS)).toBeUndefined();
    },
  );
});

describe('the fields of single services', () => {
  const inSeconds = (seconds: number) => String(NOW_MS / 1_000 + seconds);
  test.each<Row>([
    [
      'GitHub, used up',
      403,
      { date: NOW, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(90) },
      { pauseMs: 90_000, remaining: 0 },
    ],
    [
      'GitHub, by its own clock',
      200,
      {
        date: 'Sat, 21 Nov 2026 11:59:00 GMT',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': inSeconds(0),
      },
      { pauseMs: 60_000, remaining: 0 },
    ],
    [
      'GitHub, a secondary limit without a time',
      429,
      { 'x-github-request-id': 'A:B', 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': inSeconds(90) },
      { pauseMs: 60_000, remaining: 4_000, tooFast: true },
    ],
    [
      'GitHub, a secondary limit with a time',
      429,
      { 'x-github-request-id': 'A:B', 'retry-after': '5' },
      { pauseMs: 5_000, tooFast: true },
    ],
    [
      'a 403 that only forbids',
      403,
      { 'x-github-request-id': 'A:B', 'x-ratelimit-remaining': '4000' },
      { pauseMs: 0, remaining: 4_000 },
    ],
    // These quotas refill continuously, and the reset is when they are full: the next unit comes much sooner.
    [
      'OpenAI',
      200,
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '1m0s',
        'x-ratelimit-limit-tokens': '150000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6ms',
      },
      { pauseMs: 1_000, remaining: 0 },
    ],
    [
      'the second of a family, without the first',
      200,
      { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6s' },
      undefined,
    ],
    [
      'the second of a family, after a first that is not known',
      200,
      {
        'x-ratelimit-remaining-requests': '-1',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6s',
      },
      { pauseMs: 6_000, remaining: 0 },
    ],
    [
      'the fields of Kong from another gateway, of which it is not known when they end',
      200,
      { via: '1.1 varnish', 'x-ratelimit-remaining-minute': '0' },
      undefined,
    ],
    [
      'Azure, which tells -1 when it does not know',
      200,
      { 'x-ratelimit-remaining-requests': '-1', 'x-ratelimit-reset-requests': '0' },
      undefined,
    ],
    [
      'Anthropic',
      200,
      {
        date: NOW,
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-11-21T12:01:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '40000',
      },
      { pauseMs: 1_200, remaining: 0 },
    ],
    [
      'Anthropic, refused',
      429,
      {
        'retry-after': '12',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-11-21T12:01:00Z',
      },
      { pauseMs: 12_000, remaining: 0, tooFast: true },
    ],
    [
      'Stripe, too fast',
      429,
      { 'stripe-rate-limited-reason': 'endpoint-rate' },
      { pauseMs: 0, tooFast: true },
    ],
    ['Stripe, too many at once', 429, { 'stripe-rate-limited-reason': 'global-concurrency' }, { pauseMs: 0 }],
    [
      'Kong, to the end of the minute',
      200,
      {
        date: 'Sat, 21 Nov 2026 12:00:48 GMT',
        via: '1.1 kong/3.9.1',
        'x-ratelimit-limit-minute': '20',
        'x-ratelimit-remaining-minute': '0',
      },
      { pauseMs: 12_000, remaining: 0 },
    ],
    [
      'Kong, with something left',
      200,
      { via: 'kong/0.14.1', 'x-ratelimit-remaining-minute': '9', 'x-ratelimit-remaining-hour': '90' },
      { pauseMs: 0, remaining: 9 },
    ],
    [
      'Kong, refused',
      429,
      {
        'retry-after': '12',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '12',
        'x-ratelimit-remaining-minute': '0',
      },
      { pauseMs: 12_000, remaining: 0, tooFast: true },
    ],
    [
      'X, once Twitter',
      429,
      { date: NOW, 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': inSeconds(30) },
      { pauseMs: 30_000, remaining: 0, tooFast: true },
    ],
  ])('%s', judge);
});

describe('unreliable responses', () => {
  const usedUp = { ratelimit: '"x";r=0;t=30' };
  test.each<Row>([
    ['a cached response is old', 200, { ...usedUp, age: '5' }, undefined],
    ['one that is fresh is not', 200, { ...usedUp, age: '0' }, { pauseMs: 30_000, remaining: 0 }],
    ['the first of the redirects', 300, usedUp, undefined],
    ['the first of the errors', 400, usedUp, { pauseMs: 30_000, remaining: 0 }],
    ['a redirect speaks of another place', 302, { ...usedUp, 'retry-after': '5' }, undefined],
    [
      'a remaining below nothing',
      200,
      { 'x-ratelimit-remaining': '-5', 'x-ratelimit-reset': '60' },
      undefined,
    ],
    [
      'a remaining that is no number',
      200,
      { 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': '60' },
      undefined,
    ],
    [
      'a reset that is no time',
      200,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'later' },
      { pauseMs: 0, remaining: 0 },
    ],
    [
      'a reset that is past',
      200,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000000000' },
      { pauseMs: 0, remaining: 0 },
    ],
  ])('%s', judge);

  test('a reset in the year 5000 is a finite time', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.UTC(5000, 0) / 1_000) };
    const said = serverFeedback(response(200, headers), NOW_MS);
    expect(said?.pauseMs).toBe(Date.UTC(5000, 0) - NOW_MS);
  });

  test('a failure says nothing', () => {
    const failure: Outcome = { type: 'failure', kind: 'network', error: new Error() };
    expect(serverFeedback(failure, NOW_MS)).toBeUndefined();
  });
});

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
  ['1h2m3.5s', 3_723_500],
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
    (name) => {
      if (!name.startsWith('ratelimit-')) return undefined;
      read.push(name);
      return name === 'ratelimit-remaining' ? '5' : '60';
    },
    () => expect.fail('the date was read'),
  );
  expect(quotas).toEqual([{ remaining: 5, resetMs: 0 }]);
  expect(read).toEqual(['ratelimit-remaining']);
});
