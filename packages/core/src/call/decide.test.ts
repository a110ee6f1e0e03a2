import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { responds } from '../../test/asks.ts';
import { throwing } from '../../test/throwing.ts';
import type { BackoffStep } from '../backoff/strategy.ts';
import { HookError } from '../base/errors.ts';
import type { StopReason } from '../events/events.ts';
import type { FailureKind, InspectResult, Outcome, RequestTraits, Verdict } from '../http/outcome.ts';
import { serverFeedback } from '../http/server-feedback.ts';
import { constant, type ReadFeedback } from '../index.ts';
import type { PlannedRetry } from '../policy/call-view.ts';
import type { PolicyOptions } from '../policy/options.ts';
import { createPolicy } from '../policy/policy.ts';
import { type DecisionInput, decide } from './decide.ts';

function fails(kind: FailureKind): Outcome {
  return { type: 'failure', kind, error: new Error(kind) };
}

/** An outcome after a redirect. */
function later(outcome: Outcome): Outcome {
  return { ...outcome, redirected: true };
}

function request(traits: Partial<RequestTraits> & { headers?: Record<string, string> } = {}): RequestTraits {
  const { headers = {}, ...rest } = traits;
  return {
    method: 'GET',
    url: 'http://upstream/',
    replayable: true,
    header: (name) => headers[name],
    ...rest,
  };
}

function at(progress: Partial<DecisionInput> = {}): DecisionInput {
  return {
    request: request(),
    attempt: 1,
    startedAtMs: 0,
    previousBackoffMs: undefined,
    ...progress,
  };
}

const post = at({ request: request({ method: 'POST' }) });
const keyed = at({ request: request({ method: 'POST', headers: { 'idempotency-key': 'a' } }) });
const emptyKey = at({ request: request({ method: 'POST', headers: { 'idempotency-key': ' ' } }) });
const stream = at({ request: request({ replayable: false }) });

describe('the checklist', () => {
  test.each<
    [what: string, options: PolicyOptions, progress: DecisionInput, outcome: Outcome, reason: string]
  >([
    ['200', {}, at(), responds(200), 'success'],
    ['304', {}, at(), responds(304), 'success'],
    ['404', {}, at(), responds(404), 'final'],
    ['503', {}, at(), responds(503), 'transient'],
    ['501', {}, at(), responds(501), 'transient'],
    ['429', {}, at(), responds(429), 'refused'],
    ['a refused connection', {}, at(), fails('connect'), 'refused'],
    ['a broken connection', {}, at(), fails('network'), 'transient'],
    ['a timeout', {}, at(), fails('timeout'), 'transient'],
    ['an abort', {}, at(), fails('aborted'), 'aborted'],
    ['a 429 after a redirect', {}, at(), later(responds(429)), 'transient'],
    ['POST, a 429 after a redirect', {}, post, later(responds(429)), 'not-idempotent'],
    [
      'POST, a refused connection that a redirect led to',
      {},
      post,
      later(fails('connect')),
      'not-idempotent',
    ],
    ['POST with its key, the same', {}, keyed, later(fails('connect')), 'transient'],
    [
      'POST, a hook that says refused, the same',
      { classify: () => 'refused' },
      post,
      later(responds(503)),
      'not-idempotent',
    ],
    ['a programming error', {}, at(), fails('unknown'), 'final'],
    ['POST, 503', {}, post, responds(503), 'not-idempotent'],
    ['POST, reset', {}, post, fails('network'), 'not-idempotent'],
    ['POST, 429', {}, post, responds(429), 'refused'],
    ['POST, refused', {}, post, fails('connect'), 'refused'],
    ['POST with its key, 503', {}, keyed, responds(503), 'transient'],
    ['POST with an empty key, 503', {}, emptyKey, responds(503), 'not-idempotent'],
    ['POST, 503, all methods', { methods: 'all' }, post, responds(503), 'transient'],
    ['POST, 503, POST listed', { methods: ['post'] }, post, responds(503), 'transient'],
    ['GET, 503, POST listed', { methods: ['POST'] }, at(), responds(503), 'not-idempotent'],
    ['patch, 503', {}, at({ request: request({ method: 'patch' }) }), responds(503), 'not-idempotent'],
    ['query, 503', {}, at({ request: request({ method: 'query' }) }), responds(503), 'transient'],
    ['a stream, 503', {}, stream, responds(503), 'not-replayable'],
    ['a stream, 429', {}, stream, responds(429), 'not-replayable'],
    ['the last attempt', { maxRetries: 2 }, at({ attempt: 3 }), responds(503), 'retries-exhausted'],
    ['the last attempt but one', { maxRetries: 2 }, at({ attempt: 2 }), responds(503), 'transient'],
    ['no retries', { maxRetries: 0 }, at(), responds(503), 'retries-exhausted'],
    ['a backoff that gives up', { backoff: () => undefined }, at(), responds(503), 'backoff-exhausted'],
    [
      'Retry-After above the maximum',
      {},
      at(),
      responds(503, { 'retry-after': '601' }),
      'retry-after-too-long',
    ],
    ['Retry-After at the maximum', {}, at(), responds(503, { 'retry-after': '600' }), 'transient'],
    [
      'a retry after the deadline',
      { totalTimeoutMs: 999, backoff: constant(1_000) },
      at(),
      responds(503),
      'deadline-exceeded',
    ],
    [
      'a retry at the deadline',
      { totalTimeoutMs: 1_000, backoff: constant(1_000) },
      at(),
      responds(503),
      'transient',
    ],
    [
      'Retry-After beyond the deadline',
      { totalTimeoutMs: 5_000 },
      at(),
      responds(503, { 'retry-after': '6' }),
      'deadline-exceeded',
    ],
  ])('%s', (_, options, progress, outcome, reason) => {
    expect(decide(createPolicy(options), progress, outcome, 0).reason).toBe(reason);
  });

  /** Every reason against a retry, in the order of the checks. */
  const against: [
    reason: string,
    policy: PolicyOptions,
    progress: Partial<DecisionInput>,
    headers: object,
  ][] = [
    ['not-idempotent', { methods: ['PUT'] }, {}, {}],
    ['not-replayable', {}, { request: request({ replayable: false }) }, {}],
    ['retries-exhausted', { maxRetries: 2 }, { attempt: 3 }, {}],
    ['backoff-exhausted', { backoff: () => undefined }, {}, {}],
    ['retry-after-too-long', {}, {}, { 'retry-after': '601' }],
    ['deadline-exceeded', { totalTimeoutMs: 10 }, {}, {}],
    ['budget-exhausted', {}, { permit: () => 'budget-exhausted' }, {}],
  ];
  test.each(against.map(([reason], index) => [reason, against.slice(index)] as const))(
    '%s comes before all later reasons',
    (reason, apply) => {
      const policy = createPolicy(Object.assign({}, ...apply.map(([, options]) => options)));
      const progress = at(Object.assign({}, ...apply.map(([, , some]) => some)));
      const headers = Object.assign({}, ...apply.map(([, , , some]) => some));
      expect(decide(policy, progress, responds(503, headers), 0).reason).toBe(reason);
    },
  );

  test('parts are asked only about a retry that nothing else speaks against', () => {
    const calls: unknown[] = [];
    const permit = (retry: PlannedRetry): StopReason => {
      calls.push(retry);
      return 'budget-exhausted';
    };
    const policy = createPolicy({ maxRetries: 1 });
    expect(decide(policy, at({ permit, attempt: 2 }), responds(503), 0).reason).toBe('retries-exhausted');
    expect(calls).toEqual([]);
    expect(decide(policy, at({ permit }), responds(503), 0).reason).toBe('budget-exhausted');
    expect(decide(policy, at({ permit }), responds(200), 0).reason).toBe('success');
    expect(calls).toEqual([{ reason: 'transient', delayMs: expect.any(Number) }]);
  });
});

/** An outcome that `inspect` has judged. */
function judged(outcome: Outcome, advice: InspectResult): Outcome {
  return { ...outcome, advice } as Outcome;
}

describe('what the server says of a retry', () => {
  const yes = { 'x-should-retry': 'true' };
  const no = { 'x-should-retry': 'false' };
  test.each<
    [what: string, options: PolicyOptions, progress: DecisionInput, outcome: Outcome, reason: string]
  >([
    ['yes, for a POST', {}, post, responds(503, yes), 'transient'],
    ['yes, for a final status', {}, at(), responds(400, yes), 'transient'],
    ['yes, for a POST with a final status', {}, post, responds(409, yes), 'transient'],
    ['yes, for a POST with a refusal', {}, post, responds(429, yes), 'refused'],
    ['yes, for a POST after a redirect', {}, post, later(responds(503, yes)), 'not-idempotent'],
    ['yes, for a final status after a redirect', {}, at(), later(responds(400, yes)), 'final'],
    ['yes, beside a final verdict', {}, at(), judged(responds(429, yes), { verdict: 'final' }), 'final'],
    [
      'yes, beside a transient verdict, for a POST',
      {},
      post,
      judged(responds(400, yes), { verdict: 'transient' }),
      'transient',
    ],
    ['yes, for a stream', {}, stream, responds(503, yes), 'not-replayable'],
    ['yes, with no retries left', { maxRetries: 0 }, at(), responds(503, yes), 'retries-exhausted'],
    ['yes, beside a success', {}, at(), responds(200, yes), 'success'],
    ['no, for a 503', {}, at(), responds(503, no), 'final'],
    ['no, for a 429 with a wait', {}, at(), responds(429, { ...no, 'retry-after': '3' }), 'final'],
    ['no, after a redirect', {}, at(), later(responds(503, no)), 'final'],
    ['no, beside a refusal', {}, at(), judged(responds(200, no), { verdict: 'refused' }), 'refused'],
    ['no, which is not read', { feedback: false }, at(), responds(503, no), 'transient'],
    ['yes, which is not read', { feedback: false }, post, responds(503, yes), 'not-idempotent'],
  ])('%s', (_, options, progress, outcome, reason) => {
    const policy = createPolicy({ feedback: serverFeedback, ...options });
    expect(decide(policy, progress, outcome, 0).reason).toBe(reason);
  });
});

describe('a wait beside a final status', () => {
  const asks = { 'retry-after': '60' };
  const usedUp = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' };
  test.each<[what: string, progress: DecisionInput, outcome: Outcome, reason: string]>([
    ['403', post, responds(403, asks), 'refused'],
    ['413', post, responds(413, asks), 'refused'],
    ['403 with a quota that is used up', post, responds(403, usedUp), 'refused'],
    [
      '403 with a quota that is not',
      post,
      responds(403, { ...usedUp, 'x-ratelimit-remaining': '1' }),
      'final',
    ],
    ['403 alone', at(), responds(403), 'final'],
    ['403 with no time to wait', at(), responds(403, { 'retry-after': '0' }), 'final'],
    ['404', at(), responds(404, asks), 'final'],
    ['403, a POST after a redirect', post, later(responds(403, asks)), 'not-idempotent'],
    ['403, a GET after a redirect', at(), later(responds(403, asks)), 'transient'],
    ['403, judged as final', at(), judged(responds(403, asks), { verdict: 'final' }), 'final'],
  ])('%s: %#', (_, progress, outcome, reason) => {
    const policy = createPolicy({ feedback: serverFeedback });
    expect(decide(policy, progress, outcome, 0).reason).toBe(reason);
  });
});

describe('what a body says', () => {
  const inThe200: [verdict: Verdict, progress: DecisionInput, reason: string][] = [
    ['success', post, 'success'],
    ['refused', post, 'refused'],
    ['transient', post, 'not-idempotent'],
    ['transient', at(), 'transient'],
    ['final', at(), 'final'],
  ];
  test.each(inThe200)('%s in a 200: %#', (verdict, progress, reason) => {
    expect(decide(createPolicy(), progress, judged(responds(200), { verdict }), 0).reason).toBe(reason);
  });

  test('advice without a verdict leaves that to classify', () => {
    const policy = createPolicy({ backoff: constant(0), random: () => 0 });
    const decision = decide(policy, at(), judged(responds(503), { waitMs: 700 }), 0);
    expect(decision).toMatchObject({ reason: 'transient', delayMs: 700 });
  });

  test.each<[story: string, options: PolicyOptions, headers: Record<string, string>, delayMs: number]>([
    ['alone', {}, {}, 2_000],
    ['longer than that of the headers', {}, { 'retry-after': '1' }, 2_000],
    ['shorter than that of the headers', {}, { 'retry-after': '3' }, 3_000],
    ['if the headers are not read', { feedback: false }, { 'retry-after': '3' }, 2_000],
    ['if feedback does not pass it on', { feedback: () => undefined }, {}, 2_000],
  ])('its wait holds: %s', (_, options, headers, delayMs) => {
    const policy = createPolicy({ backoff: constant(0), random: () => 0, ...options });
    const outcome = judged(responds(429, headers), { verdict: 'refused', waitMs: 2_000 });
    expect(decide(policy, at(), outcome, 0)).toMatchObject({ delayMs });
  });

  test('its wait may be too long', () => {
    const outcome = judged(responds(200), { verdict: 'refused', waitMs: 600_001 });
    expect(decide(createPolicy(), at(), outcome, 0).reason).toBe('retry-after-too-long');
  });
});

describe('methods as a function', () => {
  test('is not asked after a refusal, nor if the server says to retry', () => {
    const policy = createPolicy({ feedback: serverFeedback, methods: () => expect.fail('it was asked') });
    expect(decide(policy, post, responds(429), 0).reason).toBe('refused');
    expect(decide(policy, post, responds(503, { 'x-should-retry': 'true' }), 0).reason).toBe('transient');
  });

  test.each<[got: string, methods: () => unknown]>([
    ['"yes"', () => 'yes'],
    ['undefined', () => undefined],
    ['0', () => 0],
    ['a promise', async () => true],
    ['a promise', () => Promise.reject(new Error('no'))],
  ])('is a HookError if it returns %s', (got, methods) => {
    const call = () => decide(createPolicy({ methods: methods as never }), at(), responds(503), 0);
    expect(call).toThrow(HookError);
    expect(call).toThrow(`methods failed: its result must be true or false, at once, got ${got}`);
  });

  test('does not see an idempotency key that an attempt did not carry', () => {
    const seen: unknown[] = [];
    const policy = createPolicy({
      methods: ({ method, url, replayable, body, header }) => {
        seen.push([method, url, replayable, body, header('idempotency-key'), header('x-other')]);
        return false;
      },
    });
    const headers = { 'idempotency-key': 'a', 'x-other': 'b' };
    const lost = at({
      request: request({ method: 'POST', body: 'text', headers }),
      key: { isOurs: false, isKept: false },
    });
    expect(decide(policy, lost, responds(503), 0).reason).toBe('not-idempotent');
    expect(seen).toEqual([['POST', 'http://upstream/', true, 'text', undefined, 'b']]);
  });
});

test.each([
  [202, 3_000],
  [300, 0],
  [500, 3_000],
])('a %i that classify wants again waits for the %i ms that it asks for', (status, delayMs) => {
  const policy = createPolicy({ backoff: constant(0), random: () => 0, classify: () => 'transient' });
  expect(decide(policy, at(), responds(status, { 'retry-after': '3' }), 0)).toMatchObject({ delayMs });
});

test('feedback is told the cost of the request, and a wait of its own is not a pause', () => {
  const costs: (number | undefined)[] = [];
  const feedback: ReadFeedback = (_outcome, _nowMs, cost) => {
    costs.push(cost as number);
    return { pauseMs: 0, remaining: undefined, tooFast: false, waitMs: 900 };
  };
  const policy = createPolicy({ backoff: constant(0), random: () => 0, cost: () => 7, feedback });
  expect(decide(policy, at(), responds(503), 0)).toMatchObject({ delayMs: 900 });
  expect(costs).toEqual([7]);
});

test('an idempotency key of ebb allows a retry', () => {
  const keyedByEbb = at({ request: request({ method: 'POST' }), key: { isOurs: true, isKept: true } });
  expect(decide(createPolicy(), keyedByEbb, responds(503), 0).reason).toBe('transient');
});

test('a key of the caller does not, if an attempt did not carry it', () => {
  const lost = { ...keyed, key: { isOurs: false, isKept: false } };
  expect(decide(createPolicy(), keyed, responds(503), 0).reason).toBe('transient');
  expect(decide(createPolicy(), lost, responds(503), 0).reason).toBe('not-idempotent');
  expect(decide(createPolicy(), lost, responds(429), 0).reason).toBe('refused');
  expect(decide(createPolicy({ methods: 'all' }), lost, responds(503), 0).reason).toBe('transient');
});

test.each([null, undefined])('feedback that returns %o says nothing', (nothing) => {
  const policy = createPolicy({ backoff: constant(0), feedback: () => nothing as never });
  expect(decide(policy, at(), responds(503, { 'retry-after': '3' }), 0)).toMatchObject({ delayMs: 0 });
});

describe('the delay', () => {
  const half = () => 0.5;

  test.each<[what: string, options: PolicyOptions, headers: Record<string, string>, delayMs: number]>([
    ['the backoff alone', { backoff: constant(3_000) }, {}, 3_000],
    ['the backoff, which is as long', { backoff: constant(2_000) }, { 'retry-after': '2' }, 2_000],
    ['the backoff, which is longer', { backoff: constant(3_000) }, { 'retry-after': '2' }, 3_000],
    [
      'Retry-After, being longer, and up to a second',
      { backoff: constant(100) },
      { 'retry-after': '20' },
      20_500,
    ],
    ['Retry-After, and up to a fifth of it', { backoff: constant(100) }, { 'retry-after': '1' }, 1_100],
    [
      'the longest wait, and up to a second, in place of a longer Retry-After',
      { backoff: constant(100), retryAfter: { maxMs: 10_000, then: 'cap' } },
      { 'retry-after': '20' },
      10_500,
    ],
    [
      'the backoff, if it is longer than what is left of a Retry-After',
      { backoff: constant(3_000), retryAfter: { maxMs: 1_000, then: 'cap' } },
      { 'retry-after': '20' },
      3_000,
    ],
    [
      'Retry-After, if the longest wait is longer',
      { backoff: constant(100), retryAfter: { then: 'cap' } },
      { 'retry-after': '20' },
      20_500,
    ],
    ['Retry-After: 0 is the backoff', { backoff: constant(100) }, { 'retry-after': '0' }, 100],
    ['milliseconds', { backoff: constant(100) }, { 'retry-after-ms': '350.5' }, 385.55],
    ['nothing is read', { backoff: constant(100), feedback: false }, { 'retry-after': '20' }, 100],
    ['an invalid Retry-After is the backoff', { backoff: constant(100) }, { 'retry-after': '-5' }, 100],
    ['memorystore by default', {}, {}, 1_500],
  ])('%s', (_, options, headers, delayMs) => {
    const decision = decide(createPolicy({ random: half, ...options }), at(), responds(503, headers), 0);
    expect(decision).toMatchObject({ retry: true, delayMs });
  });

  test('the backoff rule gets its own previous delay, not that of the server', () => {
    const policy = createPolicy({ backoff: ({ previousDelayMs = 7 }) => previousDelayMs * 3, random: half });
    const asked = responds(503, { 'retry-after': '1' });
    expect(decide(policy, at(), asked, 0)).toMatchObject({ delayMs: 1_100, backoffMs: 21 });
    expect(decide(policy, at({ attempt: 2, previousBackoffMs: 21 }), responds(503), 0)).toMatchObject({
      delayMs: 63,
    });
  });

  test('the backoff rule gets what the retry follows, and the request', () => {
    const steps: BackoffStep[] = [];
    const backoff = (step: BackoffStep) => steps.push(step);
    const state = at({ attempt: 2, previousBackoffMs: 9 });
    const outcomes = [fails('network'), responds(503)];
    for (const outcome of outcomes) decide(createPolicy({ backoff, random: half }), state, outcome, 0);
    const step = { retry: 2, previousDelayMs: 9, random: half, request: state.request };
    expect(steps).toEqual(outcomes.map((outcome) => ({ ...step, outcome })));
  });

  test('is never less than the server asks for', () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(600),
        fc.nat(20_000),
        unit,
        fc.integer({ min: 1, max: 5 }),
        (asked, ms, random, attempt) => {
          const policy = createPolicy({ backoff: constant(ms), random: () => random });
          const decision = decide(
            policy,
            at({ attempt }),
            responds(429, { 'retry-after': String(asked) }),
            0,
          );
          if (!decision.retry) throw new Error(decision.reason);
          expect(decision.delayMs).toBeGreaterThanOrEqual(Math.max(asked * 1_000, ms));
          expect(decision.delayMs).toBeLessThanOrEqual(Math.max(asked * 1_000 + 1_000, ms));
        },
      ),
    );
  });
});

test.each<[hook: string, options: PolicyOptions, message: string]>([
  ['classify', { classify: () => 'retry' as never }, 'classify failed: its result must be'],
  ['classify', { classify: throwing() }, 'classify failed: boom'],
  ['feedback', { feedback: throwing() }, 'feedback failed: boom'],
  [
    'feedback',
    { feedback: () => 'no' as never },
    'feedback failed: its result must be an object, or undefined',
  ],
  ['feedback', { feedback: (async () => undefined) as never }, 'got a promise'],
  [
    'feedback',
    { feedback: () => ({ pauseMs: '5' }) as never },
    'its result: pauseMs must be a number, got "5"',
  ],
  [
    'feedback',
    { feedback: () => ({ pauseMs: 5, shouldRetry: 'no' }) as never },
    'its result: shouldRetry must be true or false, got "no"',
  ],
  [
    'classify',
    { classify: () => Promise.reject(new Error('no')) as never },
    'its result must be there at once: what has to wait belongs in inspect, got a promise',
  ],
  ['backoff', { backoff: () => Number.NaN }, 'backoff failed: its result must be a finite number ≥ 0'],
  ['backoff', { backoff: () => -1 }, 'backoff failed: its result must be a finite number ≥ 0, got -1'],
  ['backoff', { backoff: () => Number.POSITIVE_INFINITY }, 'got Infinity'],
  ['backoff', { backoff: () => '5' as never }, 'got "5"'],
])('a %s that fails is a HookError with its name', (hook, options, message) => {
  const call = () => decide(createPolicy(options), at(), responds(503), 0);
  expect(call).toThrow(HookError);
  expect(call).toThrow(message);
  expect(call).toThrow(expect.objectContaining({ hook }));
});

test('skipped attempts use no retry, and lengthen the backoff', () => {
  const seen: number[] = [];
  const policy = createPolicy({ maxRetries: 3, backoff: ({ retry }) => seen.push(retry) });
  expect(decide(policy, at({ attempt: 3, skipped: 2 }), responds(503), 0).retry).toBe(true);
  expect(decide(policy, at({ attempt: 4, skipped: 2 }), responds(503), 0).retry).toBe(false);
  expect(seen).toEqual([5]);
});

test('an attempt that was sent again at once counts as no retry', () => {
  const policy = createPolicy({ maxRetries: 1 });
  expect(decide(policy, at({ attempt: 2, wasAtOnce: true }), responds(503), 0).retry).toBe(true);
  expect(decide(policy, at({ attempt: 3, wasAtOnce: true }), responds(503), 0).retry).toBe(false);
});
