import { describe, expect, test } from 'vitest';
import type { InspectResult, Outcome } from './outcome.ts';
import { serverFeedback } from './server-feedback.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 0, 0);

interface Said {
  pauseMs: number;
  remaining: number | undefined;
  tooFast: boolean;
  waitMs: number;
  shouldRetry?: boolean;
}

/** `{+90}` is in 90 seconds, in seconds since 1970; `{12:00:48}` is a date of today. */
function filled(field: string): string {
  return field
    .replace(/\{\+(\d+)\}/g, (_, seconds) => String(NOW_MS / 1_000 + Number(seconds)))
    .replace(/\{(\d\d:\d\d:\d\d)\}/g, 'Sat, 21 Nov 2026 $1 GMT');
}

/** A response from its status and its fields, such as `429 · retry-after: 3`. */
function responseOf(text: string): Outcome {
  const [status, ...fields] = text.split(' · ');
  const headers = new Map(fields.map((field) => filled(field).split(/: (.*)/s) as [string, string]));
  return { type: 'response', status: Number(status), header: (name) => headers.get(name) };
}

/** The expected feedback on a response, from words such as `pause 3000, left 0, too fast`. The wait is the pause unless it is named. */
function saidOf(text: string): Said | undefined {
  if (text === 'nothing') return undefined;
  const words = text.split(', ');
  const numberAfter = (word: string): number | undefined => {
    const found = words.find((one) => one.startsWith(`${word} `));
    return found === undefined ? undefined : Number(found.split(' ')[1]);
  };
  const pauseMs = numberAfter('pause') ?? 0;
  return {
    pauseMs,
    remaining: numberAfter('left'),
    tooFast: words.includes('too fast'),
    waitMs: numberAfter('wait') ?? pauseMs,
    ...(words.includes('retry') && { shouldRetry: true }),
    ...(words.includes('no retry') && { shouldRetry: false }),
  };
}

/** A story, a response, and what is said of it. A long row goes on in the lines after it. */
function rowsOf(table: string): [story: string, response: string, said: string][] {
  const lines = table
    .trim()
    .replace(/\n +([·|])/g, ' $1')
    .split('\n');
  return lines.map((line) => line.trim().split(/ +\| /) as [string, string, string]);
}

function judge(_: string, response: string, said: string): void {
  expect(serverFeedback(responseOf(response), NOW_MS)).toEqual(saidOf(said));
}

describe('Retry-After', () => {
  test.each(
    rowsOf(`
      seconds | 429 · retry-after: 3 | pause 3000, too fast
      a date, by that of the response | 503 · retry-after: {10:00:05} · date: {10:00:00}
        | pause 5000, too fast
      milliseconds are more exact | 429 · retry-after: 2 · retry-after-ms: 1234.5 | pause 1234.5, too fast
      milliseconds that are none | 429 · retry-after: 2 · retry-after-ms: -5 | pause 2000, too fast
      the largest of several lines | 429 · retry-after: 3, 0.5 · retry-after-ms: 20.5, soon, 2010
        | pause 2010, too fast
      an error of the server | 500 · retry-after: 1 | pause 1000
      a secondary limit of GitHub | 403 · retry-after: 60 | pause 60000
      413, which may be temporary | 413 · retry-after: 60 | pause 60000
      overload | 529 · retry-after: 1 | pause 1000
      beside a used up quota | 200 · x-ratelimit-remaining: 0 · x-ratelimit-reset: {+90} · retry-after: 3
        | pause 90000, left 0
      beside a success | 202 · retry-after: 60 | nothing
      of a page that is not there | 404 · retry-after: 60 | wait 60000
      fractions of a millisecond | 429 · x-amz-retry-after: 0.5 | pause 0.5, too fast
      milliseconds of Cosmos DB | 429 · x-ms-retry-after-ms: 9 | pause 9, too fast
      milliseconds of AWS | 503 · x-amz-retry-after: 1500 | pause 1500, too fast
      seconds that are their rounding | 429 · retry-after: 6 · retry-after-ms: 5480 | pause 5480, too fast
      seconds that are no rounding | 429 · retry-after: 6 · retry-after-ms: 5000 | pause 6000, too fast
      seconds that are less | 429 · retry-after: 1 · retry-after-ms: 5000 | pause 5000, too fast
      the longest in milliseconds | 429 · retry-after-ms: 20 · x-ms-retry-after-ms: 90 · x-amz-retry-after: 50
        | pause 90, too fast
      any number, for the bucket to cap | 429 · retry-after: 1000000000 | pause 1000000000000, too fast
      what is no number | 429 · retry-after: 1e9 | too fast
      it wins over the quota | 429 · retry-after: 3 · ratelimit: "x";r=0;t=90 | pause 3000, left 0, too fast
      a plain 429 | 429 | too fast
      a plain 503 | 503 | nothing
      a 503 with a quota that is left | 503 · ratelimit: "x";r=5;t=2 | left 5
    `),
  )('%s', judge);
});

describe('the RateLimit fields', () => {
  // A list in draft 08 and later, a dictionary in draft 07, and three fields until draft 06.
  test.each(
    rowsOf(String.raw`
      a list | 200 · ratelimit: "default";r=50;t=30 | left 50
      a list, nothing left | 200 · ratelimit: "default";r=0;t=30 | pause 30000, left 0
      the longest that is used up | 200 · ratelimit: "s";r=0;t=1, "h";r=0;t=60,"d";r=9;t=80000
        | pause 60000, left 0
      nothing left and no time | 200 · ratelimit: "x";r=0 | left 0
      a name that is a token | 200 · ratelimit: default;r=0;t=2 | pause 2000, left 0
      parameters of others | 200 · ratelimit: "a\"b";pk=:dXNlcg==:;r=0;x="; r=7, t=9";t=2;u
        | pause 2000, left 0
      blanks | 200 · ratelimit:   "a" ; r=0 ; t=2  ,  "b"; r=4 | pause 2000, left 0
      a dictionary | 200 · ratelimit: limit=100, remaining=0, reset=5 | pause 5000, left 0
      a dictionary with a rest | 200 · ratelimit: limit=100, remaining=1, reset=5 | left 1
      three fields | 200 · ratelimit-limit: 100, 100;w=10 · ratelimit-remaining: 0 · ratelimit-reset: 7
        | pause 7000, left 0
      a date, as GitLab has it | 200 · ratelimit-remaining: 0 · ratelimit-reset: {+9} | pause 9000, left 0
      on a refusal | 429 · ratelimit: "x";r=0;t=2 | pause 2000, left 0, too fast
    `),
  )('%s', judge);

  test.each<[headers: Record<string, string>, pauseMs: number]>([
    [{ ratelimit: '  limit=100, remaining=0 ' }, 0],
    [{ 'ratelimit-remaining': ' 0 ', 'ratelimit-reset': ' 7 ' }, 7_000],
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': filled('{+0}'), date: filled(' {11:59:00} ') }, 60_000],
  ])('blanks around values are left out: %j', (headers, pauseMs) => {
    const outcome: Outcome = { type: 'response', status: 200, header: (name) => headers[name] };
    expect(serverFeedback(outcome, NOW_MS)).toMatchObject({ pauseMs, remaining: 0 });
  });

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
    // A regular expression with exponential backtracking would hang on these.
    ...[';a', '"x";r=0,', ' ', ';a="', '\\"', ';a=b ', 'a'].map((part) => part.repeat(2_000 / part.length)),
  ])('%s is malformed, and ignored as a whole', (ratelimit) => {
    expect(serverFeedback(responseOf(`200 · ratelimit: ${ratelimit}`), NOW_MS)).toBeUndefined();
  });
});

describe('the fields of single services', () => {
  test.each(
    rowsOf(`
      GitHub, used up | 403 · date: {12:00:00} · x-ratelimit-remaining: 0 · x-ratelimit-reset: {+90}
        | pause 90000, left 0
      GitHub, by its own clock | 200 · date: {11:59:00} · x-ratelimit-remaining: 0 · x-ratelimit-reset: {+0}
        | pause 60000, left 0
      GitHub, a secondary limit without a time | 429 · x-github-request-id: A:B · x-ratelimit-remaining: 4000
        · x-ratelimit-reset: {+90} | pause 60000, left 4000, too fast
      GitHub, a secondary limit with a time | 429 · x-github-request-id: A:B · retry-after: 5
        | pause 5000, too fast
      a 403 that only forbids | 403 · x-github-request-id: A:B · x-ratelimit-remaining: 4000 | left 4000
      the second of a family, without the first | 200 · x-ratelimit-remaining-tokens: 0
        · x-ratelimit-reset-tokens: 6s | pause 6000, left 0
      the second, after a first that is not known | 200 · x-ratelimit-remaining-requests: -1
        · x-ratelimit-remaining-tokens: 0 · x-ratelimit-reset-tokens: 6s | pause 6000, left 0
      the third alone is not looked for on a success | 200 · anthropic-ratelimit-input-tokens-remaining: 0
        | nothing
      Kong, when it is not known when they end | 200 · via: 1.1 varnish · x-ratelimit-remaining-minute: 0
        | nothing
      Kong, to the end of the minute | 200 · date: {12:00:48} · via: 1.1 kong/3.9.1
        · x-ratelimit-limit-minute: 20 · x-ratelimit-remaining-minute: 0 | pause 12000, left 0
      Kong, with something left | 200 · via: kong/0.14.1 · x-ratelimit-remaining-minute: 9
        · x-ratelimit-remaining-hour: 90 | left 9
      Kong, refused | 429 · retry-after: 12 · ratelimit-remaining: 0 · ratelimit-reset: 12
        · x-ratelimit-remaining-minute: 0 | pause 12000, left 0, too fast
      Azure, which does not know | 200 · x-ratelimit-remaining-requests: -1 · x-ratelimit-reset-requests: 0
        | nothing
      Anthropic, refused | 429 · retry-after: 12 · anthropic-ratelimit-requests-remaining: 49
        · anthropic-ratelimit-tokens-remaining: 0 · anthropic-ratelimit-tokens-reset: 2026-11-21T12:01:00Z
        | pause 12000, left 0, too fast
      Stripe, too fast | 429 · stripe-rate-limited-reason: endpoint-rate | too fast
      Stripe, too many at once | 429 · stripe-rate-limited-reason: global-concurrency | pause 0
      X, once Twitter | 429 · date: {12:00:00} · x-rate-limit-remaining: 0 · x-rate-limit-reset: {+30}
        | pause 30000, left 0, too fast
    `),
  )('%s', judge);

  // Quotas that refill continuously are full at the reset: the next unit comes much sooner.
  test.each(
    rowsOf(`
      OpenAI | 200 · x-ratelimit-limit-requests: 60 · x-ratelimit-remaining-requests: 0
        · x-ratelimit-reset-requests: 1m0s · x-ratelimit-limit-tokens: 150000
        · x-ratelimit-remaining-tokens: 149984 · x-ratelimit-reset-tokens: 6ms | pause 1000, left 0
      OpenAI, the quota of the project | 429 · x-ratelimit-remaining-tokens: 90
        · x-ratelimit-limit-project-tokens: 600 · x-ratelimit-remaining-project-tokens: 0
        · x-ratelimit-reset-project-tokens: 1m | pause 100, left 0, too fast
      Anthropic | 200 · date: {12:00:00} · anthropic-ratelimit-requests-limit: 50
        · anthropic-ratelimit-requests-remaining: 0 · anthropic-ratelimit-requests-reset: 2026-11-21T12:01:00Z
        · anthropic-ratelimit-input-tokens-remaining: 40000 | pause 1200, left 0
      Anthropic, the third of a family on a refusal | 429 · date: {12:00:00}
        · anthropic-ratelimit-input-tokens-limit: 40000 · anthropic-ratelimit-input-tokens-remaining: 0
        · anthropic-ratelimit-input-tokens-reset: 2026-11-21T12:01:00Z | pause 1.5, left 0, too fast
    `),
  )('%s', judge);

  test.each<[story: string, status: number, cost: number, waitMs: number]>([
    ['there is enough', 429, 500, 0],
    ['the rest comes at the rate at which it refills', 429, 1_500, 2_000],
    ['the whole quota', 429, 30_000, 59_000],
    ['more than the quota holds', 429, 60_000, 59_000],
    ['a success is judged by one token', 200, 1_500, 0],
  ])('for a request that costs more than is left: %s', (_, status, cost, waitMs) => {
    const tokens = 'x-ratelimit-limit-tokens: 30000 · x-ratelimit-remaining-tokens: 500';
    const requests = 'x-ratelimit-limit-requests: 60 · x-ratelimit-remaining-requests: 59';
    const resets = 'x-ratelimit-reset-tokens: 59s · x-ratelimit-reset-requests: 1s';
    const response = responseOf(`${status} · ${tokens} · ${requests} · ${resets}`);
    expect(serverFeedback(response, NOW_MS, cost)).toMatchObject({ waitMs, pauseMs: waitMs, remaining: 59 });
  });
});

describe('whether to retry', () => {
  test.each(
    rowsOf(`
      yes | 400 · x-should-retry: true | retry
      no | 503 · x-should-retry: false | no retry
      Stripe, yes | 409 · stripe-should-retry: true | retry
      Stripe, no | 500 · stripe-should-retry: false | no retry
      another word | 503 · x-should-retry: True | nothing
      beside a success | 200 · x-should-retry: true | nothing
      beside a redirect | 302 · x-should-retry: true | nothing
      with a wait | 529 · x-should-retry: true · retry-after: 4 | pause 4000, retry
    `),
  )('%s', judge);
});

describe('what the body says', () => {
  const usedUp = 'x-ratelimit-remaining: 0 · x-ratelimit-reset: {+90}';

  test.each<[story: string, response: string, advice: InspectResult, said: string]>([
    ['a refusal in a 200', '200', { verdict: 'refused' }, 'too fast'],
    ['its wait', '200', { verdict: 'refused', waitMs: 2_000 }, 'pause 2000, too fast'],
    ['a longer one', '429 · retry-after: 3', { verdict: 'refused', waitMs: 2_000 }, 'pause 3000, too fast'],
    ['a success to poll again', '202 · retry-after: 5', { verdict: 'transient' }, 'wait 5000'],
    ['its quota', `200 · ${usedUp}`, { verdict: 'refused' }, 'pause 90000, left 0, too fast'],
    ['a broken server, which says nothing of the own rate', '500', { verdict: 'refused' }, 'nothing'],
    ['overload, which is not of the own rate', '529', { verdict: 'refused', waitMs: 5 }, 'pause 5'],
    ['a final refusal, which no pause helps', '429 · retry-after: 3', { verdict: 'final' }, 'wait 3000'],
    ['a used up quota beside it', `200 · ${usedUp}`, { verdict: 'final' }, 'pause 90000, left 0'],
  ])('%s', (_, response, advice, said) => {
    expect(serverFeedback({ ...responseOf(response), advice } as Outcome, NOW_MS)).toEqual(saidOf(said));
  });
});

describe('unreliable responses', () => {
  test.each(
    rowsOf(`
      a cached response is old | 200 · ratelimit: "x";r=0;t=30 · age: 5 | nothing
      one that is fresh is not | 200 · ratelimit: "x";r=0;t=30 · age: 0 | pause 30000, left 0
      the first of the redirects | 300 · ratelimit: "x";r=0;t=30 | nothing
      a redirect speaks of another place | 302 · ratelimit: "x";r=0;t=30 · retry-after: 5 | nothing
      a cached refusal: its quota is old, its wait is not | 503 · ratelimit: "x";r=0;t=30 · age: 5
        · retry-after: 2 | wait 2000
      a cached refusal's wait is for this request alone | 429 · age: 5 · retry-after: 2 | wait 2000, too fast
      a refusal without a time is not cached | 429 · age: 5 | too fast
      the first of the errors | 400 · ratelimit: "x";r=0;t=30 | pause 30000, left 0
      a rest below nothing | 200 · x-ratelimit-remaining: -5 · x-ratelimit-reset: 60 | nothing
      a rest that is no number | 200 · x-ratelimit-remaining: none · x-ratelimit-reset: 60 | nothing
      a reset that is no time | 200 · x-ratelimit-remaining: 0 · x-ratelimit-reset: later | left 0
      a reset that is past | 200 · x-ratelimit-remaining: 0 · x-ratelimit-reset: 1000000000 | left 0
    `),
  )('%s', judge);

  test('a reset in the year 5000 is a finite time', () => {
    const reset = Date.UTC(5000, 0);
    const said = serverFeedback(
      responseOf(`200 · x-ratelimit-remaining: 0 · x-ratelimit-reset: ${reset / 1_000}`),
      NOW_MS,
    );
    expect(said?.pauseMs).toBe(reset - NOW_MS);
  });

  test('a failure says nothing', () => {
    const failure: Outcome = { type: 'failure', kind: 'network', error: new Error() };
    expect(serverFeedback(failure, NOW_MS)).toBeUndefined();
  });
});
