import { readFileSync } from 'node:fs';
import { constant, type FailureKind, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import { Call, type CallStep, createPolicy, type Peek } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import * as door from './index.ts';
import type { PresetOptions } from './options.ts';

type Preset = (options?: PresetOptions) => PolicyOptions;

/** The others are about limits, ends of streams and costs. */
const presets = Object.entries(door).filter(
  ([name]) => !/Limits$|IsLast$|Cost$|Standard$|Quota$|^costFromResponse$/.test(name),
) as [name: string, preset: Preset][];

/** What an attempt ends with, on a request to a path. */
interface Case {
  readonly method?: string;
  readonly path?: string;
  readonly sent?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text, or JSON. */
  readonly body?: unknown;
  readonly failure?: FailureKind;
  /** The body of the request. */
  readonly given?: unknown;
  readonly redirected?: boolean;
  /** How many attempts have ended in the same way before. */
  readonly before?: number;
}

function peekAt(body: unknown): Peek {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const parts = [new TextEncoder().encode(text)];
  return { read: async () => parts.shift(), stop: () => undefined };
}

async function afterWaits(call: Call, first: CallStep): Promise<CallStep> {
  let step = first;
  while (step.do === 'wait') step = call.next(await step.until);
  return step;
}

/** The advice of a preset, as "reason" or "reason after ms". */
async function judge(options: PolicyOptions, of: Case): Promise<string> {
  const { method = 'POST', path = '/v1/things', sent = {}, status = 200, headers = {}, failure } = of;
  const request: RequestTraits = {
    method,
    url: `https://upstream.test${path}`,
    replayable: true,
    header: (name) => sent[name],
    body: of.given,
  };
  const { redirected } = of;
  const outcome: Outcome =
    failure === undefined
      ? { type: 'response', status, redirected, header: (name) => headers[name] }
      : { type: 'failure', kind: failure, error: new Error(failure) };
  const clock = virtualClock({ startMs: 0 });
  const policy = createPolicy({ ...options, backoff: constant(0), random: () => 0, clock });
  const call = new Call(policy, request);
  const open = (): Peek | undefined => (of.body === undefined ? undefined : peekAt(of.body));
  for (let left = of.before ?? 0; ; left -= 1) {
    await clock.runUntilSettled(afterWaits(call, call.next()));
    const step = await afterWaits(call, call.ended(outcome, open));
    if (left > 0) {
      call.released();
      continue;
    }
    const reason = call.history.at(-1)?.reason;
    return step.do === 'retry' && call.delayMs > 0 ? `${reason} after ${call.delayMs}` : `${reason}`;
  }
}

type Row = readonly [story: string, of: Case, meaning: string];

const STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const DATED = { date: 'Sun, 06 Nov 1994 08:49:33 GMT', 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** An event stream that begins with this. */
const streamed = (data: unknown, name?: string): Case => ({ headers: STREAM, body: event(data, name) });

/** What a preset makes of each of these. */
function judges(title: string, preset: Preset, rows: readonly Row[]): void {
  test.each(rows)(title, async (_, of, meaning) => {
    expect(await judge(preset(), of)).toBe(meaning);
  });
}

describe.each(presets)('%s', (name, preset) => {
  test('returns new, plain options that a policy takes', () => {
    const options = preset();
    expect(preset()).not.toBe(options);
    expect(preset()).toEqual(options);
    expect(Object.getPrototypeOf(options)).toBe(Object.prototype);
    expect(Object.isFrozen(options)).toBe(false);
    expect(createPolicy({ ...options, maxRetries: 4 })).toMatchObject({ ...options, maxRetries: 4 });
  });

  test('puts no limits into a policy', () => {
    const names = Object.keys(preset());
    expect(
      names.filter((option) => !['classify', 'inspect', 'feedback', 'methods'].includes(option)),
    ).toEqual([]);
  });

  test('refuses a wrong option at once, by its name', () => {
    expect(() => preset({ repeatPost: true } as PresetOptions)).toThrow(
      `${name} has no option "repeatPost"; it takes repeatPosts`,
    );
    expect(() => preset({ repeatPosts: 'yes' as never })).toThrow(
      `${name}: repeatPosts must be true or false, got "yes"`,
    );
    expect(() => preset(null as never)).toThrow(`${name}: options must be an object, got null`);
  });

  test('names its sources', () => {
    const text = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
    const docstring = /\/\*\*((?:(?!\*\/).)*)\*\/\nexport function/s.exec(text)?.[1];
    expect(docstring).toMatch(/ \* Source: \S+/);
    expect(docstring).toMatch(/POST again:/);
  });

  judges('%s', preset, [
    ['a success', {}, 'success'],
    ['a redirect that was not followed', { status: 304 }, 'success'],
    ['a page that is not there', { status: 404 }, 'final'],
    ['a wrong request', { status: 400, body: {} }, 'final'],
    ['a 403 that forbids', { status: 403, body: {} }, 'final'],
    ['a refused connection', { failure: 'connect' }, 'refused'],
    ['an abort', { failure: 'aborted' }, 'aborted'],
    ['a programming error', { failure: 'unknown' }, 'final'],
    ['a GET whose connection breaks', { method: 'GET', failure: 'network' }, 'transient'],
    ['a GET that takes too long', { method: 'GET', failure: 'timeout' }, 'transient'],
    ['a GET, 502', { method: 'GET', status: 502, body: {} }, 'transient'],
    ['a 600, which is no status', { status: 600, body: {} }, 'final'],
    ['a 429 with a wait', { status: 429, headers: { 'retry-after': '7' }, body: {} }, 'refused after 7000'],
    [
      'a 503 that the server does not want again',
      { status: 503, headers: { 'x-should-retry': 'false' } },
      'final',
    ],
  ]);
});

describe('a POST after an outcome that the server may have carried out', () => {
  const outcomes: readonly Case[] = [
    { status: 500, body: {} },
    { failure: 'network' },
    { failure: 'timeout' },
  ];

  const asTheSdk = new Set(['openai', 'anthropic']);
  test.each(presets)('%s', async (name, preset) => {
    const byDefault = asTheSdk.has(name) ? 'transient' : 'not-idempotent';
    // Google repeats the calls of a model only, whatever the option.
    const whenTrue = name === 'google' ? 'not-idempotent' : 'transient';
    for (const outcome of outcomes) {
      expect(await judge(preset(), outcome)).toBe(byDefault);
      expect(await judge(preset({ repeatPosts: true }), outcome)).toBe(whenTrue);
      expect(await judge(preset({ repeatPosts: false }), outcome)).toBe('not-idempotent');
    }
  });

  test.each(presets)('%s, with an Idempotency-Key', async (_, preset) => {
    const sent = { 'idempotency-key': 'k1' };
    for (const outcome of outcomes) expect(await judge(preset(), { ...outcome, sent })).toBe('transient');
  });

  test.each<[path: string, meaning: string]>([
    ['/v1beta/models/m:generateContent', 'transient'],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', 'transient'],
    ['/v1beta/models/m:embedContent', 'transient'],
    ['/v1beta/models/m:batchEmbedContents', 'transient'],
    ['/v1beta/models/m:countTokens#x', 'transient'],
    ['/v1beta/models/m:generateContentLater', 'not-idempotent'],
    ['/v1beta/models?name=m:generateContent', 'not-idempotent'],
    ['/upload/storage/v1/b/x/o', 'not-idempotent'],
  ])('google, %s', async (path, meaning) => {
    for (const outcome of outcomes) {
      expect(await judge(door.google(), { ...outcome, path })).toBe(meaning);
      expect(await judge(door.google({ repeatPosts: false }), { ...outcome, path })).toBe('not-idempotent');
    }
  });

  test.each<[method: string, meaning: string]>([
    ['conversations.history', 'transient'],
    ['conversations.replies?channel=C', 'transient'],
    ['conversations.members', 'transient'],
    ['users.list', 'transient'],
    ['team.info', 'transient'],
    ['users.profile.get', 'transient'],
    ['users.getPresence', 'transient'],
    ['chat.postMessage', 'not-idempotent'],
    ['chat.update', 'not-idempotent'],
    ['conversations.create', 'not-idempotent'],
    ['usergroups.users.update', 'not-idempotent'],
    ['admin.list.create', 'not-idempotent'],
    ['things.getter', 'not-idempotent'],
    ['blacklist', 'not-idempotent'],
  ])('slack, %s', async (method, meaning) => {
    for (const outcome of outcomes) {
      expect(await judge(door.slack(), { ...outcome, path: `/api/${method}` })).toBe(meaning);
    }
  });

  test('slack calls by GET as well, and a GET of chat.postMessage posts', async () => {
    const of: Case = { method: 'GET', path: '/api/chat.postMessage?text=hi', status: 503 };
    expect(await judge(door.slack(), of)).toBe('not-idempotent');
  });
});

test.each<Row>([
  ['408', { status: 408 }, 'transient'],
  ['409', { status: 409 }, 'transient'],
  ['500', { status: 500, body: '' }, 'transient'],
  ['410', { status: 410 }, 'final'],
  ['600', { status: 600 }, 'final'],
])(
  'as the SDK and octokit do, with repeatPosts slack and github repeat a POST after: %s',
  async (_, of, meaning) => {
    expect(await judge(door.slack({ repeatPosts: true }), of)).toBe(meaning);
    expect(await judge(door.github({ repeatPosts: true }), of)).toBe(meaning);
  },
);

describe('openai', () => {
  const limited = (error: object, more: Case = {}): Case => {
    return { status: 429, body: { error }, ...more };
  };
  judges('%s', door.openai, [
    ['408', { status: 408 }, 'transient'],
    ['409', { status: 409 }, 'transient'],
    ...[
      'insufficient_quota',
      'credit_balance_exhausted',
      'organization_spend_limit_exceeded',
      'project_spend_limit_exceeded',
      'organization_usage_limit_exceeded',
      'billing_not_active',
    ].map((code): Row => [code, limited({ code, type: 'insufficient_quota' }), 'final']),
    ['the type, if the code says nothing', limited({ code: null, type: 'insufficient_quota' }), 'final'],
    [
      'the code outranks the type',
      limited({ code: 'rate_limit_exceeded', type: 'insufficient_quota' }),
      'refused',
    ],
    [
      'Retry-After makes no spent quota retryable',
      limited({ code: 'insufficient_quota' }, { headers: { 'retry-after': '1', 'x-should-retry': 'true' } }),
      'final',
    ],
    [
      'a wait in words',
      limited({ code: 'rate_limit_exceeded', message: 'Limit reached. Please try again in 1m0.5s.' }),
      'refused after 60500',
    ],
    [
      'a wait in words beside one in a header',
      limited({ message: 'Please try again in 20s.' }, { headers: { 'retry-after': '2' } }),
      'refused after 2000',
    ],
    [
      'a request that never fits',
      limited({ message: 'Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000.' }),
      'final',
    ],
    [
      'a request that fits exactly',
      limited({ message: 'Request too large for m on tokens per min (TPM): Limit 30000, Requested 30000.' }),
      'refused',
    ],
    [
      'a request that fits when there is room',
      limited({ message: 'Rate limit reached: Limit 30000, Used 20000, Requested 15000.' }),
      'refused',
    ],
    ['no JSON', { status: 429, body: '<html>' }, 'refused'],
    [
      'a stream of the Responses API that begins well',
      streamed({ type: 'response.created', response: { error: null } }, 'response.created'),
      'success',
    ],
    [
      'a response that has failed at once',
      streamed({ response: { error: { code: 'server_error', message: '' } } }, 'response.failed'),
      'transient',
    ],
    [
      'a limit in a stream, with a wait in words',
      streamed({ error: { type: 'tokens', code: null, message: 'Please try again in 3s.' } }),
      'refused after 3000',
    ],
    [
      'a limit in an event that is the error',
      streamed({ code: 'rate_limit_exceeded', message: 'Please try again in 3s.' }, 'error'),
      'refused after 3000',
    ],
    ['the same in another event', streamed({ code: 'rate_limit_exceeded' }, 'response.created'), 'success'],
    [
      'a spent quota in a stream, though its type is that of a limit',
      streamed({ error: { code: 'insufficient_quota', type: 'requests' } }),
      'final',
    ],
    ['another error in a stream', streamed({ error: { code: 'invalid_prompt' } }), 'final'],
  ]);
});

describe('anthropic', () => {
  const failed = (type: string, details?: object): Case =>
    streamed({ type: 'error', error: { type, details } }, 'error');
  judges('%s', door.anthropic, [
    ['408', { status: 408 }, 'transient'],
    ['409', { status: 409 }, 'transient'],
    ...[
      'enforced_spend_limit_reached',
      'contract_spend_limit_reached',
      'linked_organization_spend_limit_reached',
      'organization_on_hold',
    ].map((error_code): Row => {
      return [error_code, { status: 429, body: { error: { details: { error_code } } } }, 'final'];
    }),
    ['a limit in a stream', failed('rate_limit_error'), 'refused'],
    ['an error of the API in a stream', failed('api_error'), 'transient'],
    ['a timeout in a stream', failed('timeout_error'), 'transient'],
    ['a conflict in a stream', failed('conflict_error'), 'transient'],
    ['a stream without an event', { headers: STREAM, body: '' }, 'success'],
    ['a wrong request in a stream', failed('invalid_request_error'), 'final'],
    [
      'a spent quota in a stream',
      failed('rate_limit_error', { error_code: 'organization_on_hold' }),
      'final',
    ],
  ]);
});

describe('google', () => {
  const model = '/v1beta/models/m:generateContent';
  const limit = (...details: object[]): Case => ({
    status: 429,
    path: model,
    body: { error: { code: 429, details } },
  });
  const violates = (quotaId: string, quotaValue = '5') => ({ violations: [{ quotaId, quotaValue }] });
  judges('%s', door.google, [
    ['501', { status: 501, path: model }, 'final'],
    ['408', { status: 408, path: model }, 'transient'],
    ['504', { status: 504, path: model }, 'transient'],
    [
      'one of several per day',
      limit(violates('RequestsPerMinute'), violates('TokensPerDayPerModel')),
      'final',
    ],
    ['no quota at all', limit(violates('RequestsPerMinute', '0')), 'final'],
    [
      'a stream that is no event stream',
      { status: 429, body: [{ error: { details: [{ retryDelay: '2s' }] } }] },
      'refused after 2000',
    ],
    [
      'the daily quota of the Interactions API',
      { status: 429, body: { error: { code: 'quota_exceeded' } } },
      'final',
    ],
    [
      'the limit of a user',
      { status: 403, body: { error: { errors: [{ reason: 'userRateLimitExceeded' }] } } },
      'refused',
    ],
    [
      'a quota per day of Cloud',
      { status: 403, body: { error: { errors: [{ reason: 'dailyLimitExceeded' }] } } },
      'final',
    ],
    ['a front end that is', { status: 503, path: model, body: '<html>' }, 'transient'],
    ['a service that is', { status: 503, body: { error: { status: 'UNAVAILABLE' } } }, 'not-idempotent'],
    [
      'a limit in a stream',
      { path: model, ...streamed({ error: { code: 429, details: [{ retryDelay: '2s' }] } }) },
      'refused after 2000',
    ],
    [
      'the limit of the Interactions API in a stream',
      streamed({ event_type: 'error', error: { code: 'rate_limit_exceeded' } }),
      'refused',
    ],
    ['a wrong request in a stream', streamed({ error: { code: 400 } }), 'final'],
    ['a stream that begins well', streamed({ candidates: [] }), 'success'],
  ]);
});

describe('aws', () => {
  const copy = {
    method: 'PUT',
    sent: { 'x-amz-copy-source': '/a/b' },
    headers: { 'content-type': 'application/xml' },
  };
  const xml = (code: string) => `<?xml version="1.0"?>\n<Error><Code>${code}</Code></Error>`;
  const throttling = [
    'BandwidthLimitExceeded',
    'EC2ThrottledException',
    'LimitExceededException',
    'PriorRequestNotComplete',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'RequestThrottled',
    'RequestThrottledException',
    'SlowDown',
    'ThrottledException',
    'Throttling',
    'ThrottlingException',
    'TooManyRequestsException',
    'TransactionInProgressException',
  ];
  judges('%s', door.aws, [
    ...throttling.map((code): Row => [code, { status: 400, body: { __type: code } }, 'refused']),
    ...['TimeoutError', 'RequestTimeout', 'RequestTimeoutException'].map((code): Row => {
      return [code, { method: 'GET', status: 400, body: { code } }, 'transient'];
    }),
    ...[408, 409, 425, 501, 505, 529].map(
      (status): Row => [`${status}`, { method: 'GET', status, body: '' }, 'final'],
    ),
    [
      'a header with noise around the code',
      { status: 400, headers: { 'x-amzn-errortype': 'com.amazon#Throttling:http://internal#x/' } },
      'refused',
    ],
    [
      'a header outranks the body',
      { status: 400, headers: { 'x-amzn-errortype': 'ValidationException' }, body: { __type: 'Throttling' } },
      'final',
    ],
    ['a wrong clock', { method: 'GET', status: 403, body: xml('RequestTimeTooSkewed') }, 'final'],
    ['throttling in a 200 of a copy', { ...copy, body: `   ${xml('SlowDown')}\n` }, 'refused'],
    ['a copy that went well', { ...copy, body: '<CopyObjectResult/>' }, 'success'],
    [
      'the completion of an upload that failed',
      { path: '/b/k?uploadId=u', headers: copy.headers, body: xml('InternalError') },
      'not-idempotent',
    ],
  ]);
});

judges('azure: %s', door.azure, [
  ['408', { method: 'GET', status: 408 }, 'transient'],
  ['501', { method: 'GET', status: 501 }, 'final'],
  ['505', { method: 'GET', status: 505 }, 'final'],
  [
    'a 503 with a wait',
    { method: 'GET', status: 503, headers: { 'x-ms-retry-after-ms': '40' } },
    'refused after 40',
  ],
  ['a POST after a 503 with a wait of 0', { status: 503, headers: { 'retry-after': '0' } }, 'not-idempotent'],
  ['a POST after a 503 with a date', { status: 503, headers: DATED }, 'refused after 4000'],
  ['a POST after a 503 of a redirect', { status: 503, redirected: true, headers: DATED }, 'not-idempotent'],
  ['a POST after a 500 with a wait', { status: 500, headers: { 'retry-after': '2' } }, 'not-idempotent'],
]);

describe('github', () => {
  const graphql = (...errors: object[]): Case => ({ path: '/graphql', body: { data: null, errors } });
  const secondary = { message: 'You have exceeded a secondary rate limit.' };
  judges('%s', door.github, [
    ['408', { method: 'GET', status: 408 }, 'transient'],
    ['a 429 without a time', { status: 429 }, 'refused after 60000'],
    ['the third in a row', { status: 429, before: 2 }, 'refused after 240000'],
    ['the fifth', { status: 429, before: 4 }, 'retry-after-too-long'],
    [
      'a 403 with nothing left, and no reset',
      { status: 403, headers: { 'x-ratelimit-remaining': '0' } },
      'refused after 60000',
    ],
    ['a secondary limit of GraphQL', graphql(secondary), 'refused after 60000'],
    ['a wrong query', graphql({ type: 'NOT_FOUND', message: 'Could not resolve' }), 'success'],
    ['data', { path: '/graphql', body: { data: {} } }, 'success'],
  ]);

  judges('after a failure: %s', door.github, [
    ['a query', { path: '/graphql', given: '{"query":"{ viewer { login } }"}', status: 502 }, 'transient'],
    ['a mutation', { path: '/graphql', given: { query: 'mutation { a }' }, status: 502 }, 'not-idempotent'],
    [
      'a 503 with a wait, of which no page tells',
      { status: 503, headers: { 'retry-after': '2' } },
      'not-idempotent',
    ],
  ]);
});

judges('stripe: %s', door.stripe, [
  ['409 with a key', { status: 409, sent: { 'idempotency-key': 'k' } }, 'transient'],
  ['408', { method: 'GET', status: 408 }, 'final'],
  ['a server that says yes', { status: 400, headers: { 'stripe-should-retry': 'true' } }, 'transient'],
  [
    'a 500 that is replayed',
    { status: 500, sent: { 'idempotency-key': 'k' }, headers: { 'idempotent-replayed': 'true' } },
    'final',
  ],
  [
    'a 500 that is replayed, and a server that says yes',
    { status: 500, headers: { 'idempotent-replayed': 'true', 'stripe-should-retry': 'true' } },
    'transient',
  ],
  ['a 429 that is replayed', { status: 429, headers: { 'idempotent-replayed': 'true' } }, 'refused'],
  ['a 200 that is replayed', { headers: { 'idempotent-replayed': 'true' } }, 'success'],
]);

describe('shopify', () => {
  const path = '/admin/api/2026-10/graphql.json';
  const failed = (code: string, cost?: object): Case => {
    return { path, body: { errors: [{ extensions: { code } }], extensions: { cost } } };
  };
  const throttled = (requestedQueryCost: unknown, currentlyAvailable: unknown, restoreRate: unknown) =>
    failed('THROTTLED', { requestedQueryCost, throttleStatus: { currentlyAvailable, restoreRate } });
  judges('%s', door.shopify, [
    ['a wait of a fraction of a millisecond', throttled(2, 1, 3_000), 'refused after 1'],
    ['a rate below nothing', throttled(50, 0, -5), 'refused'],
    ['a closed shop', failed('SHOP_INACTIVE'), 'final'],
    ['no access', failed('ACCESS_DENIED'), 'final'],
    ['another code', failed('undefinedField'), 'success'],
    [
      'a limit among other errors',
      { path, body: { errors: [{ extensions: { code: 'x' } }, {}, { extensions: { code: 'THROTTLED' } }] } },
      'refused',
    ],
    [
      'a query that perhaps ran',
      { ...failed('INTERNAL_SERVER_ERROR'), given: { query: '{ a }' } },
      'transient',
    ],
    [
      'a query after a broken connection',
      { path, given: '{"query":"{a}"}', failure: 'network' },
      'transient',
    ],
    ['a mutation after a 503 with a wait', { path, status: 503, headers: DATED }, 'refused after 4000'],
    ['529', { method: 'GET', status: 529 }, 'final'],
  ]);
});

describe('slack', () => {
  const failed = (error: string, method = 'chat.postMessage'): Case => {
    return { path: `/api/${method}`, headers: JSON_TYPE, body: { ok: false, error } };
  };
  judges('%s', door.slack, [
    ['408', { method: 'GET', status: 408 }, 'final'],
    ...['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'].flatMap((error): Row[] => [
      [`${error} of a read`, failed(error, 'users.list'), 'transient'],
      [`${error} of a write`, failed(error), 'not-idempotent'],
    ]),
    ['no error', { ...failed(''), body: { ok: false } }, 'final'],
    ['a success', { ...failed(''), body: { ok: true } }, 'success'],
  ]);
});

judges('cloudflare: %s', door.cloudflare, [
  ['408', { method: 'GET', status: 408 }, 'transient'],
  ['409', { method: 'GET', status: 409 }, 'transient'],
]);
