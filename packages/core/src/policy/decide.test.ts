import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HookError } from '../base/errors.ts';
import type { FailureKind, Outcome, RequestTraits } from '../http/outcome.ts';
import { constant, memorystore } from '../index.ts';
import { decide, type Progress } from './decide.ts';
import type { PolicyOptions } from './options.ts';
import { createPolicy } from './policy.ts';

function responds(status: number, headers: Record<string, string> = {}): Outcome {
  return { type: 'response', status, header: (name) => headers[name] };
}

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

function at(progress: Partial<Progress> = {}): Progress {
  return {
    request: request(),
    attempt: 1,
    startedAtMs: 0,
    previousBackoffMs: undefined,
    budget: undefined,
    ...progress,
  };
}

const post = at({ request: request({ method: 'POST' }) });
const keyed = at({ request: request({ method: 'POST', headers: { 'idempotency-key': 'a' } }) });
const emptyKey = at({ request: request({ method: 'POST', headers: { 'idempotency-key': ' ' } }) });
const stream = at({ request: request({ replayable: false }) });

describe('the checklist', () => {
  test.each<[what: string, options: PolicyOptions, progress: Progress, outcome: Outcome, reason: string]>([
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
  const against: [reason: string, policy: PolicyOptions, progress: Partial<Progress>, headers: object][] = [
    ['not-idempotent', { methods: ['PUT'] }, {}, {}],
    ['not-replayable', {}, { request: request({ replayable: false }) }, {}],
    ['retries-exhausted', { maxRetries: 2 }, { attempt: 3 }, {}],
    ['backoff-exhausted', { backoff: () => undefined }, {}, {}],
    ['retry-after-too-long', {}, {}, { 'retry-after': '601' }],
    ['deadline-exceeded', { totalTimeoutMs: 10 }, {}, {}],
    ['budget-exhausted', {}, { budget: { balance: 0, deposit: () => undefined, withdraw: () => false } }, {}],
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

  test('a denied retry does not withdraw from the budget, and a success deposits', () => {
    const calls: string[] = [];
    const budget = {
      balance: 0,
      deposit: () => void calls.push('deposit'),
      withdraw: () => calls.push('withdraw') < 0,
    };
    const policy = createPolicy({ maxRetries: 1 });
    expect(decide(policy, at({ budget, attempt: 2 }), responds(503), 0).reason).toBe('retries-exhausted');
    expect(calls).toEqual([]);
    expect(decide(policy, at({ budget }), responds(503), 0).reason).toBe('budget-exhausted');
    expect(decide(policy, at({ budget }), responds(200), 0).reason).toBe('success');
    expect(calls).toEqual(['withdraw', 'deposit']);
  });
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
    ['Retry-After: 0 is the backoff', { backoff: constant(100) }, { 'retry-after': '0' }, 100],
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

  test('grows as in the Memorystore page', () => {
    const policy = createPolicy({ maxRetries: 10, backoff: memorystore(), random: () => 0 });
    const delays = Array.from({ length: 8 }, (_, n) =>
      decide(policy, at({ attempt: n + 1 }), responds(500), 0),
    );
    expect(delays.map((decision) => decision.retry && decision.delayMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 64_000,
    ]);
  });
});

test.each<[hook: string, options: PolicyOptions, message: string]>([
  ['classify', { classify: () => 'retry' as never }, 'classify failed: its result must be'],
  [
    'classify',
    {
      classify: () => {
        throw new Error('boom');
      },
    },
    'classify failed: boom',
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
