import { type Promised, promises } from './promise.ts';

const DECIDE = 'packages/core/src/call/decide.ts';
const CURVES = 'packages/core/src/backoff/curves.ts';
const BUDGET = 'packages/core/src/limits/budget/budget.ts';
const UNAUTHORIZED = 'packages/core/src/plugins/refresh-on-401/refresh-on-401.ts';
const CREDENTIALS = 'packages/core/src/plugins/refresh-on-401/credentials.ts';
const decide = ['packages/core/src/call/decide.test.ts'];
const budget = ['packages/core/src/limits/budget/budget.test.ts'];
const refreshOn401 = ['packages/fetch/src/refresh-on-401.test.ts'];
const backoff = ['packages/core/src/backoff/backoff.test.ts'];

export const RETRIES: readonly Promised[] = [
  ...promises('docs/core/decision.md', [
    {
      says: 'After a redirect, and for network failures in browsers, this is assumed.',
      file: DECIDE,
      from: "return redirected === true ? 'transient' : 'refused';",
      to: "return 'refused';",
      tests: decide,
    },
    {
      says: 'its body was a stream that has been read',
      file: DECIDE,
      from: "if (!request.replayable) return stop('not-replayable');",
      to: '',
      tests: decide,
    },
    {
      says: '`maxRetries` retries were made',
      file: DECIDE,
      from: 'attempt > policy.maxRetries',
      to: 'attempt > policy.maxRetries + 1',
      tests: decide,
    },
    {
      says: 'and it must not be repeated',
      file: DECIDE,
      from: "return stop('not-idempotent');",
      to: '{}',
      tests: decide,
    },
    {
      says: 'after a redirect; `false` ends the request whatever the status',
      file: DECIDE,
      from: 'outcome.redirected !== true &&',
      to: '',
      tests: decide,
    },
    {
      says: 'A **403 or 413 with a wait** is a refusal.',
      file: DECIDE,
      from: 'outcome.status === 413',
      to: 'outcome.status === 414',
      tests: decide,
    },
    {
      says: '"Do not retry" of the server outranks both.',
      file: DECIDE,
      from: "if (said.shouldRetry === false) return 'final';",
      to: '',
      tests: decide,
    },
    {
      says: 'A verdict of `judge` outranks `classify`.',
      file: DECIDE,
      from: 'let verdict = outcome.advice?.verdict;',
      to: 'let verdict: Verdict | undefined;',
      tests: ['packages/fetch/src/inspect.test.ts', ...decide],
    },
  ]),
  ...promises('docs/strategies/timeouts.md', [
    {
      says: 'ebb begins no wait that would end after it',
      file: DECIDE,
      from: "if (nowMs + delayMs > startedAtMs + totalTimeoutMs) return stop('deadline-exceeded');",
      to: '',
      tests: decide,
    },
    {
      says: 'If it passes during an attempt, you get the last response before that',
      file: 'packages/core/src/call/call.ts',
      from: 'answered !== undefined);',
      to: 'false);',
      tests: ['packages/fetch/src/body/total-timeout.test.ts'],
    },
  ]),
  ...promises('docs/strategies/backoff.md', [
    {
      says: 'waits 1, 2, 4 … s plus up to a second',
      file: CURVES,
      from: '2 ** (retry - 1) * 1_000 +',
      to: '2 ** retry * 1_000 +',
      tests: backoff,
    },
    {
      says: 'ms; the longest wait, jitter included',
      file: CURVES,
      from: 'Math.min(2 ** (retry - 1) * 1_000 + wholeUpTo(jitterMs, random), maximumBackoffMs)',
      to: 'Math.min(2 ** (retry - 1) * 1_000, maximumBackoffMs) + wholeUpTo(jitterMs, random)',
      tests: backoff,
    },
    {
      says: 'draws the whole wait at random',
      file: CURVES,
      from: 'random() * ceilingOf(setup, retry)',
      to: 'ceilingOf(setup, retry)',
      tests: backoff,
    },
  ]),
  ...promises('docs/strategies/retry-budget.md', [
    {
      says: 'five successes pay for one retry',
      file: BUDGET,
      from: 'ratio: { check: notNegative, default: 0.2 }',
      to: 'ratio: { check: notNegative, default: 0.25 }',
      tests: budget,
    },
    {
      says: 'A reserve of three',
      file: BUDGET,
      from: 'reserve: { check: notNegative, default: 3 }',
      to: 'reserve: { check: notNegative, default: 4 }',
      tests: budget,
    },
    {
      says: 'or after a minute without use',
      file: BUDGET,
      from: 'RESTING_WINDOWS = 6;',
      to: 'RESTING_WINDOWS = 7;',
      tests: budget,
    },
    {
      says: 'below 1 it is a probability',
      file: BUDGET,
      from: 'return this.#random() < chance;',
      to: 'return true;',
      tests: budget,
    },
    {
      says: 'ms for which a success counts',
      file: BUDGET,
      from: 'this.#successes[at] = 0;',
      to: '',
      tests: budget,
    },
  ]),
  ...promises('docs/guide/observing.md', [
    {
      says: '`attemptsOf` returns the history of a response or an error',
      file: 'packages/core/src/call/history.ts',
      from: 'MOST_ATTEMPTS = 100;',
      to: 'MOST_ATTEMPTS = 1_000;',
      tests: ['packages/core/src/call/history.test.ts'],
    },
  ]),
  ...promises('docs/jobs.md', [
    {
      says: '`trustedOrigins` says who gets the token, and must be set',
      file: UNAUTHORIZED,
      from: 'if (trustedOrigins === undefined) throw',
      to: 'if (false) throw',
      tests: ['test/refresh-on-401.test.ts'],
    },
    {
      says: 'A refresh through the same client is an error',
      file: CREDENTIALS,
      from: 'if (renewal.isStarting || outer?.slotsHeld.includes(renewal)) {',
      to: 'if (false) {',
      tests: refreshOn401,
    },
    {
      says: 'or outlasts `refreshTimeoutMs` (30 s), the 401 is the answer',
      file: CREDENTIALS,
      from: 'const leftMs = this.#timeoutMs;',
      to: 'const leftMs = Infinity;',
      tests: refreshOn401,
    },
    {
      says: 'After a new token was refused, no refresh begins for 10 s',
      file: CREDENTIALS,
      from: 'PAUSE_MS = 10_000',
      to: 'PAUSE_MS = 0',
      tests: refreshOn401,
    },
  ]),
  ...promises('docs/core/attempts.md', [
    {
      says: 'What `beforeAttempt` returns goes to `trustedOrigins` alone',
      file: 'packages/core/src/call/header-changes.ts',
      from: 'if (isTrusted({ trustedOrigins }, next.request)) {',
      to: 'if (true) {',
      tests: ['packages/core/src/policy/trust.test.ts', 'packages/core/src/call/header-changes.test.ts'],
    },
    {
      says: 'is a function in place of the value: it is called then',
      file: 'packages/core/src/call/header-changes.ts',
      from: "typeof value === 'function' ? value() : value",
      to: 'value',
      tests: ['packages/core/src/call/header-changes.test.ts', 'packages/fetch/src/header-changes.test.ts'],
    },
    {
      says: 'that `beforeAttempt` changes makes nothing repeatable',
      file: 'packages/core/src/call/header-changes.ts',
      from: 'key.isKept = false;',
      to: '{}',
      tests: ['packages/core/src/call/header-changes.test.ts', 'packages/fetch/src/header-changes.test.ts'],
    },
  ]),
  ...promises('docs/core/layers.md', [
    {
      says: 'the outermost retries',
      file: 'packages/core/src/call/call.ts',
      from: "if (this.isInner) return this.#stop('outer-client-retries', outcome);",
      to: '',
      tests: ['packages/fetch/src/layers.test.ts'],
    },
    {
      says: 'Tokens are taken once from each bucket for each attempt',
      file: 'packages/core/src/limits/bucket/bucket-limit.ts',
      from: 'outer?.bucketsTaken.includes(bucket)',
      to: 'false',
      tests: ['packages/fetch/src/layers.test.ts'],
    },
  ]),
  ...promises('docs/core/events.md', [
    {
      says: 'Its `request` has no credentials, query or fragment',
      file: 'packages/core/src/events/report-fields.ts',
      from: 'const { protocol, host, pathname } =',
      to: 'const { protocol, host, href: pathname } =',
      tests: ['packages/core/src/events/report-fields.test.ts'],
    },
    {
      says: 'its `outcome` and `error` have no headers and no message',
      file: 'packages/core/src/events/report-fields.ts',
      from: "if (type === 'response') return { type, status: outcome.status };",
      to: "if (type === 'response') return outcome;",
      tests: ['packages/core/src/events/emit.test.ts'],
    },
  ]),
];
