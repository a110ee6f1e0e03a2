// Also runs in browsers: imports nothing from Node.
import {
  type Clock,
  type ConcurrencyLimit,
  classifyHttpByMeaning,
  connectRetry,
  constant,
  exponential,
  type FailureKind,
  inspectBody,
  type Outcome,
  type PolicyOptions,
  type RequestOptions,
  serverFeedback,
  tokenBucket,
} from '@ebb/core';
import type { Place, RuntimeName } from './runtimes/names.ts';
import { aborts } from './scenarios-aborts.ts';
import { limited } from './scenarios-limits.ts';
import { bounded } from './scenarios-total.ts';
import type { Step } from './server.ts';

/** A request, independent of the client that sends it. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The text of a body that is sent as a stream, which can be read once. */
  readonly once?: string;
  /** The text of a body that is sent by a function that returns a new stream. */
  readonly factory?: string;
  /** What that function does first. */
  readonly making?: () => Promise<unknown> | undefined;
  /** Policy options for this request alone. */
  readonly ebb?: RequestOptions;
}

export type ClientName = 'fetch' | 'axios' | 'undici';

/** The expected result of a scenario. */
interface Expected {
  /** The delays before the retries, in milliseconds. Random numbers are 0 unless the policy sets `random`. */
  readonly delays: readonly number[];
  /** How many requests the upstream received. */
  readonly hits: number;
  /** The status that the caller gets; `undefined` if the call, or reading its body, rejects. */
  readonly status?: number | undefined;
  /** The body that the caller gets. */
  readonly body?: string | undefined;
  /** The request bodies that the upstream received; not checked if absent. */
  readonly bodies?: readonly string[];
  /** The reason in the `end` event; `undefined` if there are no events. */
  readonly reason: string | undefined;
  /** The failure of the last attempt, if the caller gets the response of one before it. */
  readonly failure?: FailureKind;
  /** What the call rejects with: `'the reason'` of the abort, or the name of the error. Not checked if absent. */
  readonly thrown?: string;
  /** The waits for tokens, in milliseconds. Time is advanced by each. */
  readonly waits?: readonly number[];
}

/** When the caller aborts: beforehand, while waiting for tokens or a slot, for a response, for a retry, or in the body. */
type AbortPhase = 'before' | 'limits' | 'attempt' | 'retry' | 'body';

/** Limits that are made anew for each run. */
export interface Limits {
  readonly bucket?: ReturnType<typeof tokenBucket>;
  readonly concurrency?: ConcurrencyLimit;
}

/** One row of the table: a script and a request, and the delays, hits, status and reason that follow. */
export interface Scenario extends Expected {
  readonly name: string;
  /** What the upstream does with the first request, the second, and so on; `'refused'` if nothing listens. */
  readonly script: readonly Step[] | 'refused';
  readonly request?: Sent;
  readonly policy?: PolicyOptions;
  readonly limits?: (clock: Clock) => Limits;
  readonly abort?: AbortPhase;
  /** The abort is that of the policy's `stopSignal`. */
  readonly stops?: true;
  /** The row needs real sockets: a mock cannot misbehave in this way. */
  readonly socketsOnly?: true;
  /** What differs for a client, because of how the client works. */
  readonly but?: Readonly<
    Partial<Record<ClientName, Partial<Expected> & Pick<Scenario, 'policy' | 'abort'>>>
  >;
  /** What differs for clients that send with the fetch of a runtime, because of how the runtime works, and why. */
  readonly butIn?: Differences<RuntimeName>;
  /** What differs in a row or a cell of the grid, and why. */
  readonly butFor?: Differences<Place>;
}

type Differences<Name extends string> = Readonly<
  Partial<Record<Name, Partial<Expected> & { readonly why: string }>>
>;

/** The row with the differences of a client applied. */
export function forClient(scenario: Scenario, client: ClientName): Scenario {
  return { ...scenario, ...scenario.but?.[client] };
}

const up: Step = { status: 200, body: 'up' };
const down: Step = { status: 503, body: 'down' };
const throttled: Step = { status: 429, body: 'slow down' };
const after = (value: string | string[], status = 503): Step => ({
  status,
  body: 'down',
  headers: { 'retry-after': value },
});
const put = { method: 'PUT', body: 'text' };
/** Reasons why a runtime differs. */
const NO_PROOF = 'the refused connection may be that of a redirect target, and the error does not show which';
const NO_UPLOAD = 'a page can upload a stream only over HTTP/2';
const ALL_ALIKE = 'a refused connection rejects with the same message as a lost one';
const FROM_CACHE = 'the cache of a page first asks whether its part of the body can be completed';
const fast: PolicyOptions = { backoff: constant(10) };
/** Reads all that a server may say. */
const attentive: PolicyOptions = { ...fast, feedback: serverFeedback };
const tooLong = { delays: [], hits: 1, status: 503, reason: 'retry-after-too-long' };
const asBackoff = { delays: [1_000], hits: 2, status: 200, reason: 'success' };

const responses: Scenario[] = [
  { name: '200', script: [up], delays: [], hits: 1, status: 200, body: 'up', reason: 'success' },
  { name: '204', script: [{ status: 204 }], delays: [], hits: 1, status: 204, reason: 'success' },
  {
    name: '404',
    script: [{ status: 404, body: 'no' }],
    delays: [],
    hits: 1,
    status: 404,
    body: 'no',
    reason: 'final',
  },
  {
    name: '503, then 200',
    script: [down, up],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
  },
  {
    name: '429, then 200',
    script: [throttled, up],
    delays: [1_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  ...[500, 501, 502, 504, 505, 599].map((status) => ({
    name: `${status}, then 200`,
    script: [{ status }, up],
    ...asBackoff,
  })),
  {
    name: '501 with classifyHttpByMeaning',
    script: [{ status: 501 }],
    policy: { classify: classifyHttpByMeaning },
    delays: [],
    hits: 1,
    status: 501,
    reason: 'final',
  },
  {
    name: 'always 503: 1, 2, 4, 8, 16 s, then the last response, complete',
    script: [down, down, down, down, down, { status: 503, body: 'the last' }],
    delays: [1_000, 2_000, 4_000, 8_000, 16_000],
    hits: 6,
    status: 503,
    body: 'the last',
    reason: 'retries-exhausted',
  },
  {
    name: 'delays stay at the maximum backoff',
    script: [down, down, down, down, down, down, down, down, up],
    policy: { maxRetries: 8 },
    delays: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000],
    hits: 9,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a new random number for each delay',
    script: [down, down, up],
    policy: { random: alternating(0.25, 0.75) },
    delays: [1_250, 2_750],
    hits: 3,
    status: 200,
    reason: 'success',
  },
  {
    name: 'maxRetries 0',
    script: [down],
    policy: { maxRetries: 0 },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'totalTimeoutMs leaves no time for a retry',
    script: [down],
    policy: { totalTimeoutMs: 999 },
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'deadline-exceeded',
  },
  {
    name: 'totalTimeoutMs leaves time for two retries',
    script: [down],
    policy: { totalTimeoutMs: 6_999 },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'deadline-exceeded',
  },
  {
    name: 'a backoff rule that gives up',
    script: [down],
    policy: { backoff: ({ retry }) => (retry > 1 ? undefined : 5) },
    delays: [5],
    hits: 2,
    status: 503,
    reason: 'backoff-exhausted',
  },
  {
    name: 'a backoff rule with its own number of retries',
    script: [down],
    policy: { backoff: connectRetry() },
    delays: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000],
    hits: 8,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a backoff rule with its own number of retries, and fewer maxRetries',
    script: [down],
    policy: { backoff: connectRetry(), maxRetries: 2 },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a backoff rule with its own number of retries, for one request',
    script: [down],
    request: { ebb: { backoff: connectRetry({ maxSleepMs: 4_000 }) } },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'an exhausted budget',
    script: [down],
    policy: { budget: { balance: 0, deposit: () => undefined, withdraw: () => false } },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'budget-exhausted',
  },
];

const retryAfter: Scenario[] = [
  {
    name: 'Retry-After: 20',
    script: [after('20'), up],
    delays: [20_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After: 20 with 429',
    script: [after('20', 429), up],
    delays: [20_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After: 20, plus jitter',
    script: [after('20'), up],
    policy: { random: () => 0.5 },
    delays: [20_500],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'Retry-After shorter than the backoff',
    script: [after('1'), up],
    policy: { backoff: exponential({ baseMs: 5_000, capMs: 60_000 }) },
    delays: [5_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  { name: 'Retry-After: 3000000', script: [after('3000000')], ...tooLong },
  { name: 'Retry-After in the year 2300', script: [after('Mon, 01 Jan 2300 00:00:00 GMT')], ...tooLong },
  {
    name: 'Retry-After: 3000000 with a larger maxRetryAfterMs',
    script: [after('3000000'), up],
    policy: { maxRetryAfterMs: 4e9 },
    delays: [3e9],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  { name: 'Retry-After: 0 does not shorten the backoff', script: [after('0'), up], ...asBackoff },
  { name: 'Retry-After in the past', script: [after('Sun, 06 Nov 1994 08:49:37 GMT'), up], ...asBackoff },
  ...['Sat, 21 Nov 2026 12:00:30 GMT', 'Saturday, 21-Nov-26 12:00:30 GMT', 'Sat Nov 21 12:00:30 2026'].map(
    (date) => ({
      name: `Retry-After: ${date}, 30 s after the Date of the response`,
      script: [{ status: 503, headers: { 'retry-after': date, date: 'Sat, 21 Nov 2026 12:00:00 GMT' } }, up],
      delays: [30_000],
      hits: 2,
      status: 200,
      reason: 'success',
    }),
  ),
  ...['-5', '0x10', '1e3', 'Infinity', 'soon', '.5', 'soon, later'].map((junk) => ({
    name: `Retry-After: ${junk}`,
    script: [after(junk), up],
    ...asBackoff,
  })),
  ...Object.entries<[value: string | string[], delayMs: number]>({
    'Retry-After: 1.5 is 1.5 s': ['1.5', 1_500],
    'Retry-After: 2, 3 takes the larger': ['2, 3', 3_000],
    'two Retry-After lines: the larger': [['3', '5'], 5_000],
    'two Retry-After lines, the larger first': [['5', '3'], 5_000],
    'two Retry-After lines, one of them a date': [['10', 'Sat, 21 Nov 2026 12:00:30 GMT'], 30_000],
  }).map(([name, [value, delayMs]]) => ({
    name,
    script: [{ status: 503, headers: { 'retry-after': value, date: 'Sat, 21 Nov 2026 12:00:00 GMT' } }, up],
    delays: [delayMs],
    hits: 2,
    status: 200,
    reason: 'success',
  })),
  {
    name: 'Retry-After: 0.5, below the backoff',
    script: [after('0.5'), up],
    ...asBackoff,
  },
  {
    name: 'Retry-After: 0.5, above the backoff',
    script: [after('0.5'), up],
    policy: fast,
    delays: [500],
    hits: 2,
    status: 200,
    reason: 'success',
  },
];

const repeating: Scenario[] = [
  {
    name: 'PUT, 503',
    script: [down, up],
    request: put,
    delays: [1_000],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'DELETE, 503',
    script: [down, up],
    request: { method: 'DELETE' },
    delays: [1_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'POST, 503',
    script: [down],
    request: { method: 'POST', body: 'text' },
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'not-idempotent',
  },
  {
    name: 'PATCH, 503',
    script: [down],
    request: { method: 'PATCH', body: 'text' },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'POST, 429',
    script: [throttled, up],
    request: { method: 'POST', body: 'text' },
    delays: [1_000],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'POST with an Idempotency-Key, 503',
    script: [down, up],
    request: { method: 'POST', body: 'text', headers: { 'Idempotency-Key': 'one' } },
    delays: [1_000],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: "POST, 503, with methods: 'all'",
    script: [down, up],
    request: { method: 'POST', body: 'text' },
    policy: { methods: 'all' },
    delays: [1_000],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'a stream is sent once',
    script: [down, up],
    request: { method: 'PUT', once: 'text' },
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    bodies: ['text'],
    reason: 'not-replayable',
    butIn: {
      Chromium: { hits: 0, status: undefined, body: undefined, bodies: [], why: NO_UPLOAD },
    },
  },
  {
    name: 'a factory returns a new stream for each attempt',
    script: [down, throttled, up],
    request: { method: 'PUT', factory: 'text' },
    policy: fast,
    delays: [10, 10],
    hits: 3,
    status: 200,
    bodies: ['text', 'text', 'text'],
    reason: 'success',
    butIn: {
      Chromium: {
        delays: [10, 10, 10, 10, 10],
        hits: 0,
        status: undefined,
        bodies: [],
        reason: 'retries-exhausted',
        why: NO_UPLOAD,
      },
    },
  },
];

const misbehaving: Scenario[] = [
  {
    name: 'a reset before the response',
    script: ['reset', up],
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a reset before the response to a POST',
    script: ['reset'],
    request: { method: 'POST', body: 'text' },
    delays: [],
    hits: 1,
    reason: 'not-idempotent',
  },
  {
    name: 'resets on every attempt',
    script: ['reset'],
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 3,
    reason: 'retries-exhausted',
  },
  {
    name: 'a refused connection',
    script: 'refused',
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    socketsOnly: true,
  },
  {
    name: 'a POST whose connection is refused',
    script: 'refused',
    request: { method: 'POST', body: 'text' },
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    socketsOnly: true,
    butIn: {
      Bun: { delays: [], reason: 'not-idempotent', why: NO_PROOF },
      Deno: { delays: [], reason: 'not-idempotent', why: NO_PROOF },
      Chromium: { delays: [], reason: 'not-idempotent', why: ALL_ALIKE },
      workerd: { delays: [], reason: 'not-idempotent', why: ALL_ALIKE },
    },
    butFor: { 'axios, fetch': { delays: [], reason: 'not-idempotent', why: NO_PROOF } },
  },
  {
    name: 'a refused connection returns its token to the bucket',
    script: 'refused',
    policy: {
      ...fast,
      maxRetries: 2,
      // A new bucket for each client.
      get bucket() {
        return tokenBucket({ capacity: 1, refillPerSecond: 1e-9, nonConforming: 'reject' });
      },
    },
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    socketsOnly: true,
    butIn: {
      Bun: { delays: [10], reason: 'throttled', why: NO_PROOF },
      Deno: { delays: [10], reason: 'throttled', why: NO_PROOF },
      Chromium: { delays: [10], reason: 'throttled', why: ALL_ALIKE },
      workerd: { delays: [10], reason: 'throttled', why: ALL_ALIKE },
    },
    butFor: { 'axios, fetch': { delays: [10], reason: 'throttled', why: NO_PROOF } },
  },
  {
    name: 'a reset keeps its token: the request may have reached the server',
    script: ['reset', up],
    policy: {
      ...fast,
      get bucket() {
        return tokenBucket({ capacity: 1, refillPerSecond: 1e-9, nonConforming: 'reject' });
      },
    },
    delays: [10],
    hits: 1,
    reason: 'throttled',
  },
  {
    name: 'a 503 whose body never ends',
    script: ['endless-503', up],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    socketsOnly: true,
    // axios resolves only when the body has ended, so it needs a limit for the attempt.
    but: { axios: { policy: { attemptTimeoutMs: 100 } } },
  },
  {
    name: 'a slow body',
    script: [down, 'slow-200'],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: '1234567890',
    reason: 'success',
    socketsOnly: true,
  },
  {
    name: 'a late response',
    script: [down, 'late-200'],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    socketsOnly: true,
  },
  {
    // fetch resolves with the headers, so the reader of the body gets the error. axios resolves with the body and can
    // retry. undici can request the rest of the body, but only with an ETag.
    name: 'a body that breaks off',
    script: ['half-body', up],
    policy: fast,
    delays: [],
    hits: 1,
    reason: 'success',
    socketsOnly: true,
    but: { axios: { delays: [10], hits: 2, status: 200, body: 'up' } },
  },
  {
    name: 'a body with an ETag that breaks off',
    script: ['half-download', 'rest-of-download'],
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    body: '1234567890',
    reason: 'success',
    socketsOnly: true,
    but: { fetch: { delays: [], hits: 1, status: undefined, body: undefined, reason: 'success' } },
    butFor: {
      'axios, fetch in Chromium': { hits: 3, why: FROM_CACHE },
      'axios, xhr in Chromium': { hits: 3, why: FROM_CACHE },
    },
  },
  {
    name: 'no response within attemptTimeoutMs',
    script: ['hang', up],
    policy: { ...fast, attemptTimeoutMs: 100 },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    socketsOnly: true,
  },
  {
    name: 'no response to a POST within attemptTimeoutMs',
    script: ['hang'],
    request: { method: 'POST', body: 'text' },
    policy: { ...fast, attemptTimeoutMs: 100 },
    delays: [],
    hits: 1,
    reason: 'not-idempotent',
    socketsOnly: true,
  },
  {
    name: 'a response before the upload is complete',
    script: ['early-503', up],
    request: { method: 'PUT', body: 'x'.repeat(4_000_000) },
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    socketsOnly: true,
  },
];

/** Returns the numbers in turn. */
function alternating(...numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length] ?? 0;
}

const isAccepted = (outcome: Outcome): boolean => outcome.type === 'response' && outcome.status === 202;

/** What the server says besides its status. */
const told: Scenario[] = [
  ...(
    [
      ['retry-after-ms', { 'retry-after-ms': '300' }, 300],
      ['retry-after-ms beside its rounding', { 'retry-after-ms': '300', 'retry-after': '1' }, 300],
      ['retry-after-ms beside a longer Retry-After', { 'retry-after-ms': '300', 'retry-after': '2' }, 2_000],
      ['x-ms-retry-after-ms', { 'x-ms-retry-after-ms': '90' }, 90],
      ['x-amz-retry-after', { 'x-amz-retry-after': '1500' }, 1_500],
      ['a quota that is used up', { ratelimit: '"default";r=0;t=30' }, 30_000],
      [
        'a quota that refills, of which too little is left',
        {
          'x-ratelimit-limit-tokens': '30000',
          'x-ratelimit-remaining-tokens': '500',
          'x-ratelimit-reset-tokens': '59s',
        },
        2_000,
        1_500,
      ],
    ] as const
  ).map(
    ([name, headers, delayMs, cost = 1]): Scenario => ({
      name: `a 429 with ${name}, to a POST`,
      script: [{ status: 429, headers, body: 'slow down' }, up],
      request: { method: 'POST', body: 'text' },
      policy: { ...(name.startsWith('retry-after-ms') ? fast : attentive), cost },
      delays: [delayMs],
      hits: 2,
      status: 200,
      reason: 'success',
    }),
  ),
  {
    name: 'Retry-After of a 202 that classify calls transient',
    script: [{ status: 202, headers: { 'retry-after': '2' } }, up],
    policy: { ...fast, classify: (outcome) => (isAccepted(outcome) ? 'transient' : 'success') },
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a server that says "retry" after a POST',
    script: [{ status: 500, headers: { 'x-should-retry': 'true' }, body: 'down' }, up],
    request: { method: 'POST', body: 'text' },
    policy: attentive,
    delays: [10],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'a server that says "do not retry"',
    script: [{ status: 503, headers: { 'x-should-retry': 'false', 'retry-after': '1' }, body: 'down' }],
    policy: attentive,
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'final',
  },
  {
    name: 'a 403 with a wait, to a POST',
    script: [{ status: 403, headers: { 'retry-after': '2' }, body: 'no' }, up],
    request: { method: 'POST', body: 'text' },
    policy: fast,
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a 403 without a wait',
    script: [{ status: 403, body: 'no' }],
    delays: [],
    hits: 1,
    status: 403,
    reason: 'final',
  },
  {
    name: 'with feedback: false the headers of a response are ignored',
    script: [{ status: 503, headers: { 'retry-after': '2', 'x-should-retry': 'false' }, body: 'down' }, up],
    policy: { ...fast, feedback: false },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
];

const json = (status: number, body: string): Step => ({
  status,
  body,
  headers: { 'content-type': 'application/json' },
});
const inspect = inspectBody(async (response) => {
  if (response.header('content-type') === 'text/event-stream') {
    return (await response.firstEvent())?.event === 'error' ? { verdict: 'refused' } : undefined;
  }
  const body = (await response.json()) as { error?: string; waitMs?: number } | undefined;
  if (body?.error === 'busy') return { verdict: 'refused', waitMs: body.waitMs };
  return body?.error === 'quota' ? { verdict: 'final' } : undefined;
});
const post = { method: 'POST', body: 'text' };

const inspected: Scenario[] = [
  {
    name: 'an error in a 200',
    script: [json(200, '{"error":"busy"}'), json(200, '{"ok":true}')],
    request: post,
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: '{"ok":true}',
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'an error in a 200 to the end',
    script: [json(200, '{"error":"busy"}')],
    policy: { ...fast, maxRetries: 1, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: '{"error":"busy"}',
    reason: 'retries-exhausted',
  },
  {
    name: 'a wait in the body of a 429',
    script: [json(429, '{"error":"busy","waitMs":3000}'), up],
    policy: { ...fast, inspect },
    delays: [3_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
  },
  {
    name: 'a 429 whose body says that no retry helps',
    script: [json(429, '{"error":"quota"}')],
    policy: { ...fast, inspect },
    delays: [],
    hits: 1,
    status: 429,
    body: '{"error":"quota"}',
    reason: 'final',
  },
  {
    name: 'an error as the first event of a stream',
    script: [
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'event: error\ndata: 1\n\n' },
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: 2\n\n' },
    ],
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: 'data: 2\n\n',
    reason: 'success',
  },
  {
    name: 'a body that breaks while it is inspected',
    script: ['half-body', up],
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    socketsOnly: true,
  },
  {
    name: 'a 503 that is inspected, with nothing to say',
    script: [down, up],
    policy: { ...fast, inspect },
    delays: [10],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
  },
];

const keyed: Scenario[] = [
  {
    name: 'a POST with idempotencyKey',
    script: [down, up],
    request: post,
    policy: { ...fast, idempotencyKey: true },
    delays: [10],
    hits: 2,
    status: 200,
    bodies: ['text', 'text'],
    reason: 'success',
  },
  {
    name: 'a POST that methods allows',
    script: [down, up],
    request: post,
    policy: { ...fast, methods: ({ method }) => method === 'POST' },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST whose beforeAttempt keeps the key of ebb',
    script: [down, up],
    request: post,
    policy: { ...fast, idempotencyKey: () => 'a', beforeAttempt: () => ({ 'Idempotency-Key': 'a' }) },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST whose beforeAttempt removes the key of ebb',
    script: [down],
    request: post,
    policy: { ...fast, idempotencyKey: true, beforeAttempt: () => ({ 'idempotency-key': undefined }) },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'a POST whose beforeAttempt changes the key of ebb on the retry',
    script: [down, down],
    request: post,
    policy: {
      ...fast,
      idempotencyKey: () => 'a',
      beforeAttempt: async ({ attempt }) => ({ 'Idempotency-Key': attempt === 1 ? 'a' : 'b' }),
    },
    delays: [10],
    hits: 2,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'a POST whose beforeAttempt changes the key of the caller',
    script: [down],
    request: { ...post, headers: { 'Idempotency-Key': 'a' } },
    policy: { ...fast, beforeAttempt: () => new Headers({ 'idempotency-key': 'b' }) },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'a POST with a key of the caller, and a beforeAttempt that leaves it',
    script: [down, up],
    request: { ...post, headers: { 'Idempotency-Key': 'a' } },
    policy: { ...fast, beforeAttempt: () => [['authorization', 'b']] },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a POST that methods allows by its body',
    script: [down, up],
    request: post,
    policy: { ...fast, methods: ({ body }) => body === 'text' },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    butFor: {
      "Node's fetch": {
        delays: [],
        hits: 1,
        status: 503,
        reason: 'not-idempotent',
        why: 'fetch gives its dispatcher a stream',
      },
    },
  },
  {
    name: 'a POST after a 503 with a Retry-After',
    script: [after('2')],
    request: post,
    policy: fast,
    delays: [],
    hits: 1,
    status: 503,
    reason: 'not-idempotent',
  },
  {
    name: 'the same with classifyHttpByMeaning',
    script: [after('2'), up],
    request: post,
    policy: { ...fast, classify: classifyHttpByMeaning },
    delays: [2_000],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'beforeAttempt that returns a Map',
    script: [up],
    policy: { ...fast, beforeAttempt: () => new Map([['x-a', '1']]) as never },
    delays: [],
    hits: 0,
    reason: 'final',
  },
  {
    name: 'methods that returns a promise',
    script: [down],
    request: post,
    policy: { ...fast, methods: (async () => true) as never },
    delays: [],
    hits: 1,
    reason: 'final',
  },
  {
    name: 'a 401 that is tried once more, as after a refresh of the token',
    script: [{ status: 401 }, { status: 401 }],
    request: post,
    policy: {
      ...fast,
      classify: (outcome, _request, attempt) =>
        outcome.type === 'response' && outcome.status === 401 && attempt === 1 ? 'refused' : 'final',
    },
    delays: [10],
    hits: 2,
    status: 401,
    reason: 'final',
  },
  {
    name: 'beforeAttempt that fails',
    script: [up],
    policy: { ...fast, beforeAttempt: () => Promise.reject(new Error('no key')) },
    delays: [],
    hits: 0,
    reason: 'final',
  },
  {
    name: 'aroundAttempt that sends each attempt',
    script: [{ status: 503 }, up],
    policy: { ...fast, aroundAttempt: (send) => send() },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'aroundAttempt that fails before it sends',
    script: [up],
    policy: {
      ...fast,
      aroundAttempt: () => {
        throw new Error('no context');
      },
    },
    delays: [],
    hits: 0,
    reason: 'final',
  },
];

export const scenarios: readonly Scenario[] = [
  ...responses,
  ...retryAfter,
  ...repeating,
  ...misbehaving,
  ...told,
  ...inspected,
  ...keyed,
  ...limited,
  ...aborts,
  ...bounded,
];
