// Imported by what runs in browsers: nothing of Node's stands here.
import {
  classifyHttpByMeaning,
  connectRetry,
  constant,
  exponential,
  type PolicyOptions,
  type RequestOptions,
  tokenBucket,
} from '@ebb/core';
import type { RuntimeName } from './runtimes/names.ts';
import type { Step } from './server.ts';

/** What a client is asked to send. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The body as a stream that can be read once. */
  readonly once?: string;
  /** The body as a function that makes a stream. */
  readonly factory?: string;
  /** What this request changes of the policy. */
  readonly ebb?: RequestOptions;
}

export type ClientName = 'fetch' | 'axios' | 'undici';

/** What comes of a scenario. */
export interface Expected {
  /** The waits before the retries, in milliseconds. Random numbers are all 0, unless the policy says otherwise. */
  readonly delays: readonly number[];
  /** How many requests the upstream saw. */
  readonly hits: number;
  /** The status that the caller gets; none where the call, or reading its body, rejects. */
  readonly status?: number | undefined;
  /** The body that the caller gets. */
  readonly body?: string | undefined;
  /** The bodies that the upstream saw, where they matter. */
  readonly bodies?: readonly string[];
  /** Why it ended, as the last event has it. */
  readonly reason: string;
}

/** Script and request in; delays, hits, status and reason out. */
export interface Scenario extends Expected {
  readonly name: string;
  /** What the upstream does to the first request, the second … and `'refused'` for an upstream that is not there. */
  readonly script: readonly Step[] | 'refused';
  readonly request?: Sent;
  readonly policy?: PolicyOptions;
  /** Set where mocked answers cannot misbehave so. */
  readonly socketsOnly?: true;
  /** Where the clients differ by their nature, what differs. */
  readonly but?: Readonly<Partial<Record<ClientName, Partial<Expected> & Pick<Scenario, 'policy'>>>>;
  /** Where fetch differs in a runtime by the runtime's nature, what differs, and why. */
  readonly butIn?: Readonly<Partial<Record<RuntimeName, Partial<Expected> & { readonly why: string }>>>;
}

/** The row as it is for one of the clients; for fetch, in one of the runtimes. */
export function forClient(scenario: Scenario, client: ClientName, runtime?: RuntimeName): Scenario {
  return { ...scenario, ...scenario.but?.[client], ...(runtime && scenario.butIn?.[runtime]) };
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
/** Why a runtime differs. */
const NO_PROOF = 'a refused connection may be that of the target of a redirect, and nothing tells';
const NO_UPLOAD = 'a page uploads streams over HTTP/2 alone';
const ALL_ALIKE = 'a refused connection is told in the words of any lost one';
const fast: PolicyOptions = { backoff: constant(10) };
const tooLong = { delays: [], hits: 1, status: 503, reason: 'retry-after-too-long' };
const asBackoff = { delays: [1_000], hits: 2, status: 200, reason: 'success' };

const answers: Scenario[] = [
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
    name: '501 by its meaning',
    script: [{ status: 501 }],
    policy: { classify: classifyHttpByMeaning },
    delays: [],
    hits: 1,
    status: 501,
    reason: 'final',
  },
  {
    name: 'down for good: 1, 2, 4, 8, 16 s, then the last answer, whole',
    script: [down, down, down, down, down, { status: 503, body: 'the last' }],
    delays: [1_000, 2_000, 4_000, 8_000, 16_000],
    hits: 6,
    status: 503,
    body: 'the last',
    reason: 'retries-exhausted',
  },
  {
    name: 'at the cap it goes on at the cap',
    script: [down, down, down, down, down, down, down, down, up],
    policy: { maxRetries: 8 },
    delays: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000],
    hits: 9,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a fresh random number for each wait',
    script: [down, down, up],
    policy: { random: alternating(0.25, 0.75) },
    delays: [1_250, 2_750],
    hits: 3,
    status: 200,
    reason: 'success',
  },
  {
    name: 'no retries',
    script: [down],
    policy: { maxRetries: 0 },
    delays: [],
    hits: 1,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'no time for a retry',
    script: [down],
    policy: { totalTimeoutMs: 999 },
    delays: [],
    hits: 1,
    status: 503,
    body: 'down',
    reason: 'deadline-exceeded',
  },
  {
    name: 'time for two retries',
    script: [down],
    policy: { totalTimeoutMs: 6_999 },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'deadline-exceeded',
  },
  {
    name: 'a rule that gives up',
    script: [down],
    policy: { backoff: ({ retry }) => (retry > 1 ? undefined : 5) },
    delays: [5],
    hits: 2,
    status: 503,
    reason: 'backoff-exhausted',
  },
  {
    name: 'a rule that ends by itself: all of its retries, without maxRetries',
    script: [down],
    policy: { backoff: connectRetry() },
    delays: [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000],
    hits: 8,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a rule that ends by itself, and fewer maxRetries',
    script: [down],
    policy: { backoff: connectRetry(), maxRetries: 2 },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a rule that ends by itself, for one request',
    script: [down],
    request: { ebb: { backoff: connectRetry({ maxSleepMs: 4_000 }) } },
    delays: [1_000, 2_000],
    hits: 3,
    status: 503,
    reason: 'retries-exhausted',
  },
  {
    name: 'a budget that is spent',
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
    name: 'Retry-After: 20, and a little more at random',
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
    name: 'Retry-After: 3000000, for who can wait',
    script: [after('3000000'), up],
    policy: { maxRetryAfterMs: 4e9 },
    delays: [3e9],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  { name: 'Retry-After: 0 is the backoff, not a hot loop', script: [after('0'), up], ...asBackoff },
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
    'Retry-After: 1.5 is a second and a half': ['1.5', 1_500],
    'Retry-After: 2, 3 takes the larger': ['2, 3', 3_000],
    'two lines of Retry-After: the larger': [['3', '5'], 5_000],
    'two lines of Retry-After, the larger first': [['5', '3'], 5_000],
    'two lines of Retry-After, one of them a date': [['10', 'Sat, 21 Nov 2026 12:00:30 GMT'], 30_000],
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
    name: 'POST, 503, to the letter of Memorystore',
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
    name: 'a stream goes once',
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
    name: 'a factory makes the stream anew',
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
    name: 'a reset before the answer',
    script: ['reset', up],
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
  },
  {
    name: 'a reset before the answer to a POST',
    script: ['reset'],
    request: { method: 'POST', body: 'text' },
    delays: [],
    hits: 1,
    reason: 'not-idempotent',
  },
  {
    name: 'resets for good',
    script: ['reset'],
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 3,
    reason: 'retries-exhausted',
  },
  {
    name: 'an upstream that is not there',
    script: 'refused',
    policy: { ...fast, maxRetries: 2 },
    delays: [10, 10],
    hits: 0,
    reason: 'retries-exhausted',
    socketsOnly: true,
  },
  {
    name: 'an upstream that is not there, and a POST',
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
  },
  {
    name: 'an upstream that is not there, and one token: each attempt gives it back',
    script: 'refused',
    policy: {
      ...fast,
      maxRetries: 2,
      // One for each client.
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
  },
  {
    name: 'a reset, and one token: it may have reached the server',
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
    // axios answers only when a body has ended: there it is the attempt's time that does.
    but: { axios: { policy: { attemptTimeoutMs: 100 } } },
  },
  {
    name: 'a body that comes slowly',
    script: [down, 'slow-200'],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: '1234567890',
    reason: 'success',
    socketsOnly: true,
  },
  {
    name: 'an answer that starts late',
    script: [down, 'late-200'],
    delays: [1_000],
    hits: 2,
    status: 200,
    body: 'up',
    reason: 'success',
    socketsOnly: true,
  },
  {
    // fetch has answered when the headers were there, and a body that breaks is its reader's; axios answers with
    // the body, and so may ask again; undici may ask for the rest alone, and only where an ETag names the whole.
    name: 'a body that breaks off in the middle',
    script: ['half-body', up],
    policy: fast,
    delays: [],
    hits: 1,
    reason: 'success',
    socketsOnly: true,
    but: { axios: { delays: [10], hits: 2, status: 200, body: 'up' } },
  },
  {
    name: 'a download that breaks off, of which an ETag names the whole',
    script: ['half-download', 'rest-of-download'],
    policy: fast,
    delays: [10],
    hits: 2,
    status: 200,
    body: '1234567890',
    reason: 'success',
    socketsOnly: true,
    but: { fetch: { delays: [], hits: 1, status: undefined, body: undefined, reason: 'success' } },
  },
  {
    name: 'no answer in time',
    script: ['hang', up],
    policy: { ...fast, attemptTimeoutMs: 100 },
    delays: [10],
    hits: 2,
    status: 200,
    reason: 'success',
    socketsOnly: true,
  },
  {
    name: 'no answer in time to a POST',
    script: ['hang'],
    request: { method: 'POST', body: 'text' },
    policy: { ...fast, attemptTimeoutMs: 100 },
    delays: [],
    hits: 1,
    reason: 'not-idempotent',
    socketsOnly: true,
  },
  {
    name: 'an answer before the upload is through',
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

/** Numbers that take turns. */
function alternating(...numbers: readonly number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length] ?? 0;
}

export const scenarios: readonly Scenario[] = [...answers, ...retryAfter, ...repeating, ...misbehaving];
