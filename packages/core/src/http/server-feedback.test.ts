import { describe, expect, test } from 'vitest';
import type { Judgement, Outcome } from './outcome.ts';
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
  /** `waitMs` is `pauseMs` unless it is given. */
  said:
    | { pauseMs: number; remaining?: number; tooFast?: boolean; waitMs?: number; shouldRetry?: boolean }
    | undefined,
];

/** The fields of GitHub for a quota that is used up for some seconds. */
function usedUpIn(seconds: number): Record<string, string> {
  return { date: NOW, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW_MS / 1_000 + seconds) };
}

function judge(_: string, status: number, headers: Row[2], said: Row[3]): void {
  const expected = said && { remaining: undefined, tooFast: false, waitMs: said.pauseMs, ...said };
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
      { 'retry-after': '3, 0.5', 'retry-after-ms': '20.5, soon, 2010' },
      { pauseMs: 2_010, tooFast: true },
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
    [
      'a quota that is used up wins over it in a success',
      200,
      { ...usedUpIn(90), 'retry-after': '3' },
      { pauseMs: 90_000, remaining: 0 },
    ],
    ['what it says beside a success is not of load', 202, { 'retry-after': '60' }, undefined],
    [
      'beside a page that is not there it is of this request alone',
      404,
      { 'retry-after': '60' },
      { pauseMs: 0, waitMs: 60_000 },
    ],
    ['fractions of a millisecond', 429, { 'x-amz-retry-after': '0.5' }, { pauseMs: 0.5, tooFast: true }],
    ['milliseconds of Cosmos DB', 429, { 'x-ms-retry-after-ms': '9' }, { pauseMs: 9, tooFast: true }],
    ['milliseconds of AWS', 503, { 'x-amz-retry-after': '1500' }, { pauseMs: 1_500, tooFast: true }],
    [
      'milliseconds, of which whole seconds are the rounding',
      429,
      { 'retry-after': '6', 'retry-after-ms': '5480' },
      { pauseMs: 5_480, tooFast: true },
    ],
    [
      'seconds that are no rounding of the milliseconds',
      429,
      { 'retry-after': '6', 'retry-after-ms': '5000' },
      { pauseMs: 6_000, tooFast: true },
    ],
    [
      'seconds that are less than the milliseconds',
      429,
      { 'retry-after': '1', 'retry-after-ms': '5000' },
      { pauseMs: 5_000, tooFast: true },
    ],
    [
      'the longest of several fields in milliseconds',
      429,
      { 'retry-after-ms': '20', 'x-ms-retry-after-ms': '90', 'x-amz-retry-after': '50' },
      { pauseMs: 90, tooFast: true },
    ],
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
      { ratelimit: `"x";r=0;t=5;a=${'b'.repeat(1_010)}` },
      { pauseMs: 5_000, remaining: 0 },
    ],
    ['a field that is longer', 200, { ratelimit: `"x";r=0;t=5;a=${'b'.repeat(1_011)}` }, undefined],
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
      { pauseMs: 6_000, remaining: 0 },
    ],
    [
      'the third of a family alone, on a success: not looked for',
      200,
      { 'anthropic-ratelimit-input-tokens-remaining': '0' },
      undefined,
    ],
    [
      'the third of a family alone, on a refusal',
      429,
      {
        date: NOW,
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-21T12:01:00Z',
      },
      { pauseMs: 1.5, remaining: 0, tooFast: true },
    ],
    [
      'OpenAI, the quota of the project',
      429,
      {
        'x-ratelimit-remaining-tokens': '90',
        'x-ratelimit-limit-project-tokens': '600',
        'x-ratelimit-remaining-project-tokens': '0',
        'x-ratelimit-reset-project-tokens': '1m',
      },
      { pauseMs: 100, remaining: 0, tooFast: true },
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

describe('whether to retry', () => {
  test.each<Row>([
    ['yes', 400, { 'x-should-retry': 'true' }, { pauseMs: 0, shouldRetry: true }],
    ['no', 503, { 'x-should-retry': 'false' }, { pauseMs: 0, shouldRetry: false }],
    ['Stripe, yes', 409, { 'stripe-should-retry': 'true' }, { pauseMs: 0, shouldRetry: true }],
    ['Stripe, no', 500, { 'stripe-should-retry': 'false' }, { pauseMs: 0, shouldRetry: false }],
    ['another word', 503, { 'x-should-retry': 'True' }, undefined],
    ['beside a success', 200, { 'x-should-retry': 'true' }, undefined],
    ['beside a redirect', 302, { 'x-should-retry': 'true' }, undefined],
    [
      'with a wait',
      529,
      { 'x-should-retry': 'true', 'retry-after': '4' },
      { pauseMs: 4_000, shouldRetry: true },
    ],
  ])('%s', judge);
});

describe('what the body says', () => {
  type Judged = [story: string, status: number, headers: Record<string, string>, Judgement, said: Row[3]];
  test.each<Judged>([
    ['a refusal in a 200', 200, {}, { verdict: 'refused' }, { pauseMs: 0, tooFast: true }],
    [
      'a refusal in a 200 with its wait',
      200,
      {},
      { verdict: 'refused', waitMs: 2_000 },
      { pauseMs: 2_000, tooFast: true },
    ],
    [
      'the longer of its wait and that of the headers',
      429,
      { 'retry-after': '3' },
      { verdict: 'refused', waitMs: 2_000 },
      { pauseMs: 3_000, tooFast: true },
    ],
    [
      'Retry-After of a success that is to be polled again',
      202,
      { 'retry-after': '5' },
      { verdict: 'transient' },
      { pauseMs: 0, waitMs: 5_000 },
    ],
    [
      'the quota that a refusal in a 200 reports',
      200,
      usedUpIn(90),
      { verdict: 'refused' },
      { pauseMs: 90_000, remaining: 0, tooFast: true },
    ],
    ['a broken server, which says nothing of the own rate', 500, {}, { verdict: 'refused' }, undefined],
    ['overload, which is not of the own rate', 529, {}, { verdict: 'refused', waitMs: 5 }, { pauseMs: 5 }],
    [
      'a final refusal, which no pause helps',
      429,
      { 'retry-after': '3' },
      { verdict: 'final' },
      { pauseMs: 0, waitMs: 3_000 },
    ],
    [
      'a quota that is used up, beside a final verdict',
      200,
      usedUpIn(90),
      { verdict: 'final' },
      { pauseMs: 90_000, remaining: 0 },
    ],
  ])('%s', (_, status, headers, judgement, said) => {
    const outcome: Outcome = { ...response(status, headers), judgement } as Outcome;
    const expected = said && { remaining: undefined, tooFast: false, waitMs: said.pauseMs, ...said };
    expect(serverFeedback(outcome, NOW_MS)).toEqual(expected);
  });
});

describe('a quota that refills, for a request that costs more than is left', () => {
  const headers = {
    'x-ratelimit-limit-tokens': '30000',
    'x-ratelimit-remaining-tokens': '500',
    'x-ratelimit-reset-tokens': '59s',
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '1s',
  };
  test.each<[story: string, status: number, cost: number, waitMs: number]>([
    ['there is enough', 429, 500, 0],
    ['the rest comes at the rate at which it refills', 429, 1_500, 2_000],
    ['the whole quota', 429, 30_000, 59_000],
    ['more than the quota holds', 429, 60_000, 59_000],
    ['a success is judged by one token', 200, 1_500, 0],
  ])('%s', (_, status, cost, waitMs) => {
    const said = serverFeedback(response(status, headers), NOW_MS, cost);
    expect(said).toMatchObject({ waitMs, pauseMs: waitMs, remaining: 59 });
  });
});

describe('unreliable responses', () => {
  const usedUp = { ratelimit: '"x";r=0;t=30' };
  test.each<Row>([
    ['a cached response is old', 200, { ...usedUp, age: '5' }, undefined],
    ['one that is fresh is not', 200, { ...usedUp, age: '0' }, { pauseMs: 30_000, remaining: 0 }],
    ['the first of the redirects', 300, usedUp, undefined],
    [
      'a cached refusal: its quota is old, its wait is not',
      503,
      { ...usedUp, age: '5', 'retry-after': '2' },
      { pauseMs: 0, waitMs: 2_000 },
    ],
    [
      'the wait of a cached refusal is for this request alone',
      429,
      { age: '5', 'retry-after': '2' },
      { pauseMs: 0, waitMs: 2_000, tooFast: true },
    ],
    ['a refusal without a time is not cached', 429, { age: '5' }, { pauseMs: 0, tooFast: true }],
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
