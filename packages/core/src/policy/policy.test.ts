import { describe, expect, test } from 'vitest';
import { REQUEST, response } from '../../test/call-with-limits.ts';
import { ownBudget } from '../../test/own.ts';
import { plainFeedback } from '../http/feedback.ts';
import { binaryExponential, connectRetry, constant, retryBudget } from '../index.ts';
import type { PolicyOptions } from './options.ts';
import { createPolicy, overridePolicy } from './policy.ts';

test('the defaults', () => {
  const { backoff, classify, feedback, clock, random, ...rest } = createPolicy();
  expect(rest).toEqual({
    maxRetries: 5,
    inspect: undefined,
    idempotencyKey: undefined,
    beforeAttempt: undefined,
    methods: 'idempotent',
    retryAfter: { maxMs: 600_000, then: 'stop' },
    attemptTimeoutMs: undefined,
    totalTimeoutMs: undefined,
    totalTimeoutCovers: 'headers',
    bucket: undefined,
    budget: undefined,
    concurrency: undefined,
    key: undefined,
    maxWaitMs: undefined,
    priority: 0,
    cost: 1,
    onEvent: undefined,
  });
  expect(backoff({ retry: 1, previousDelayMs: undefined, random: () => 0 })).toBe(1_000);
  expect(classify(response(503), REQUEST, 1)).toBe('transient');
  expect(feedback).toBe(plainFeedback);
  expect(clock.now()).toBeGreaterThan(Date.UTC(2020, 0));
  expect(random()).toBeLessThan(1);
});

test.each<[options: unknown, message: string, type: ErrorConstructor]>([
  [{ maxRetries: -1 }, 'createPolicy: maxRetries must be a whole number ≥ 0, got -1', RangeError],
  [
    { maxRetries: Number.POSITIVE_INFINITY },
    'maxRetries must be a whole number ≥ 0 without a totalTimeoutMs, a budget or a stopSignal, got Infinity',
    RangeError,
  ],
  [
    { maxRetries: Number.NEGATIVE_INFINITY },
    'maxRetries must be a whole number ≥ 0, got -Infinity',
    RangeError,
  ],
  [{ backoff: 'exponential' }, 'backoff must be a function, got "exponential"', TypeError],
  [
    { backoff: Object.assign(() => 1, { maxRetries: -1 }) },
    'createPolicy: backoff.maxRetries must be a whole number ≥ 0, got -1',
    RangeError,
  ],
  [{ classify: [503] }, 'classify must be a function, got an array', TypeError],
  [
    { methods: 'GET' },
    "methods must be 'idempotent', 'all', a list of methods, or a function, got \"GET\"",
    RangeError,
  ],
  [{ methods: ['GET', 5] }, 'methods must be', TypeError],
  [{ feedback: true }, 'feedback must be a function, got true', TypeError],
  [{ inspect: () => undefined }, 'inspect must be what inspectBody returns', TypeError],
  [{ inspect: { judge: 1 } }, 'inspect must be what inspectBody returns', TypeError],
  [{ idempotencyKey: false }, 'idempotencyKey must be true or a function, got false', TypeError],
  [{ beforeAttempt: 'x' }, 'beforeAttempt must be a function, got "x"', TypeError],
  [{ retryAfter: 1_000 }, 'createPolicy: retryAfter must be an object, got 1000', TypeError],
  [{ retryAfter: { maxMs: -1 } }, 'retryAfter.maxMs must be a finite number ≥ 0, got -1', RangeError],
  [{ retryAfter: { then: 'go' } }, "retryAfter.then must be one of 'stop', 'cap', got \"go\"", RangeError],
  [{ retryAfter: { max: 1 } }, 'retryAfter has no option "max"; it takes maxMs, then', TypeError],
  [{ maxRetryAfterMs: 1 }, 'has no option "maxRetryAfterMs"; it takes maxRetries, backoff', TypeError],
  [{ attemptTimeoutMs: 0 }, 'attemptTimeoutMs must be a finite number > 0', RangeError],
  [{ totalTimeoutMs: Number.NaN }, 'totalTimeoutMs must be a finite number ≥ 0, got NaN', RangeError],
  [
    { totalTimeoutCovers: 'all' },
    "totalTimeoutCovers must be one of 'headers', 'body', got \"all\"",
    RangeError,
  ],
  [{ totalTimeoutMs: -5 }, 'totalTimeoutMs must be a finite number ≥ 0, got -5', RangeError],
  [{ bucket: {} }, 'createPolicy: bucket must be a token bucket, got an object', TypeError],
  [{ concurrency: 5 }, 'createPolicy: concurrency must be a concurrency limit, got 5', TypeError],
  [{ budget: { for: 5 } }, 'createPolicy: budget must be a retry budget', TypeError],
  [{ priority: 8 }, 'createPolicy: priority must be a whole number from -7 to 7, got 8', RangeError],
  [{ key: 5 }, 'createPolicy: key must be a string, got 5', TypeError],
  [{ fairKey: 5 }, 'createPolicy: fairKey', TypeError],
  [{ maxWaitMs: -1 }, 'createPolicy: maxWaitMs must be a finite number ≥ 0', RangeError],
  [{ stopSignal: true }, 'stopSignal must be an AbortSignal', TypeError],
  [{ budget: 0.2 }, 'budget must be a retry budget, got 0.2', TypeError],
  [{ cost: 0 }, 'cost must be a finite number > 0, got 0', RangeError],
  [{ cost: Number.NaN }, 'cost must be a finite number > 0, got NaN', RangeError],
  [{ cost: '1' }, 'cost must be a finite number > 0, got "1"', TypeError],
  [{ onEvent: {} }, 'onEvent must be a function, got an object', TypeError],
  [{ clock: Date }, 'clock must be a clock, got a function', TypeError],
  [{ random: 4 }, 'random must be a function, got 4', TypeError],
  [{ maxRetry: 3 }, 'createPolicy has no option "maxRetry"; it takes maxRetries, backoff', TypeError],
  [{ methods: 5 }, 'createPolicy: methods must be', TypeError],
  [{ clock: null }, 'createPolicy: clock must be a clock, got null', TypeError],
  [{ toString: 3 }, 'createPolicy has no option "toString"', TypeError],
  ['5', 'createPolicy: options must be an object, got "5"', TypeError],
  [null, 'createPolicy: options must be an object, got null', TypeError],
])('createPolicy(%j) throws', (options, message, type) => {
  expect(() => createPolicy(options as PolicyOptions)).toThrow(type);
  expect(() => createPolicy(options as PolicyOptions)).toThrow(message);
});

test('createPolicy returns a policy unchanged', () => {
  const policy = createPolicy({ maxRetries: 1 });
  expect(createPolicy(policy)).toBe(policy);
});

test('a copy of a policy with changes is a new policy', () => {
  const methods = ['GET'];
  const policy = createPolicy({ methods, backoff: connectRetry() });
  const changed = createPolicy({ ...policy, maxRetries: 1 });
  expect(Object.entries(changed)).toEqual(Object.entries({ ...policy, maxRetries: 1 }));
  expect(Object.isFrozen(changed)).toBe(true);
  expect(overridePolicy(changed, { backoff: constant(1) }).maxRetries).toBe(1);
  expect(() => createPolicy({ ...policy, maxRetries: -1 })).toThrow('createPolicy: maxRetries must be');
  expect(() => createPolicy({ ...policy, retries: 1 } as PolicyOptions)).toThrow('has no option "retries"');
});

test('a policy cannot be changed, not even by changing its list of methods', () => {
  const methods = ['get'];
  const policy = createPolicy({ methods });
  methods.push('POST');
  expect(policy.methods).toEqual(['GET']);
  expect(Object.isFrozen(policy)).toBe(true);
});

test('an override changes what it names and shares the rest', () => {
  const budget = ownBudget({ balance: 1, deposit: () => undefined, withdraw: () => true });
  const policy = createPolicy({ maxRetries: 1, budget });
  const changed = overridePolicy(policy, { maxRetries: 0 });
  expect(Object.entries(changed)).toEqual(Object.entries({ ...policy, maxRetries: 0 }));
  expect(changed.budget).toBe(budget);
  expect(policy.maxRetries).toBe(1);
  expect(() => overridePolicy(policy, { maxRetries: -1 })).toThrow(
    'ebb: maxRetries must be a whole number ≥ 0',
  );
});

test.each<[given: PolicyOptions['retryAfter'], own: PolicyOptions['retryAfter'], shown: object]>([
  [undefined, { maxMs: 5 }, { maxMs: 5, then: 'stop' }],
  [{ maxMs: 5 }, { then: 'cap' }, { maxMs: 5, then: 'cap' }],
  [{ then: 'cap' }, { maxMs: 5 }, { maxMs: 5, then: 'cap' }],
  [{ maxMs: 5, then: 'cap' }, {}, { maxMs: 5, then: 'cap' }],
  [
    { maxMs: 5, then: 'cap' },
    { maxMs: undefined, then: undefined },
    { maxMs: 5, then: 'cap' },
  ],
  [
    { maxMs: 5, then: 'cap' },
    { maxMs: 7, then: 'stop' },
    { maxMs: 7, then: 'stop' },
  ],
])(
  'retryAfter: what %j leaves out has its default, and what a request leaves out of %j stays',
  (given, own, shown) => {
    const policy = createPolicy({ retryAfter: given });
    expect(policy.retryAfter).toEqual({ maxMs: 600_000, then: 'stop', ...given });
    expect(overridePolicy(policy, { retryAfter: own }).retryAfter).toEqual(shown);
    // A copy is no request: its `retryAfter` is new.
    expect(createPolicy({ ...policy, retryAfter: { maxMs: 9 } }).retryAfter).toEqual({
      maxMs: 9,
      then: 'stop',
    });
  },
);

const endless = { maxRetries: Number.POSITIVE_INFINITY };

test.each<[what: string, bound: PolicyOptions]>([
  ['a total timeout', { totalTimeoutMs: 1 }],
  ['a total timeout of nothing', { totalTimeoutMs: 0 }],
  ['a budget', { budget: retryBudget() }],
  ['a stopSignal', { stopSignal: new AbortController().signal }],
])('maxRetries may be infinite beside %s', (_, bound) => {
  expect(createPolicy({ ...bound, ...endless }).maxRetries).toBe(Number.POSITIVE_INFINITY);
  expect(overridePolicy(createPolicy(bound), endless).maxRetries).toBe(Number.POSITIVE_INFINITY);
  expect(overridePolicy(createPolicy(), { ...bound, ...endless }).maxRetries).toBe(Number.POSITIVE_INFINITY);
  expect(() => overridePolicy(createPolicy(), endless)).toThrow('ebb: maxRetries must be a whole number ≥ 0');
});

describe('without maxRetries the number of the backoff rule applies', () => {
  const ownRule = Object.assign(() => 1, { maxRetries: 2 });
  test.each<[story: string, options: PolicyOptions, shown: number]>([
    ['a rule that does not give up: the default', { backoff: constant(1) }, 5],
    ['APUE: eight attempts', { backoff: connectRetry() }, 7],
    ['APUE, no sleep at all', { backoff: connectRetry({ maxSleepMs: 0 }) }, 0],
    ['Ethernet: sixteen attempts', { backoff: binaryExponential({ slotMs: 1 }) }, 15],
    ['Ethernet, two attempts', { backoff: binaryExponential({ slotMs: 1, attemptLimit: 2 }) }, 1],
    ['a rule of your own', { backoff: ownRule }, 2],
    ['a rule that wraps another, and has no maxRetries', { backoff: (step) => connectRetry()(step) }, 5],
    ['maxRetries takes precedence', { backoff: connectRetry(), maxRetries: 3 }, 3],
    ['a larger maxRetries takes precedence', { backoff: ownRule, maxRetries: 9 }, 9],
    ['maxRetries: 0 takes precedence', { backoff: connectRetry(), maxRetries: 0 }, 0],
  ])('%s', (_, options, shown) => {
    expect(createPolicy(options).maxRetries).toBe(shown);
  });

  test.each<[story: string, policy: PolicyOptions, override: PolicyOptions, shown: number]>([
    ['a rule for one request', {}, { backoff: connectRetry() }, 7],
    [
      'a rule for one request in place of one that gives up',
      { backoff: connectRetry() },
      { backoff: constant(1) },
      5,
    ],
    ['the policy has maxRetries', { maxRetries: 2 }, { backoff: connectRetry() }, 2],
    ['the request has maxRetries', { backoff: connectRetry() }, { maxRetries: 1 }, 1],
    ['another option for one request', { backoff: connectRetry() }, { cost: 2 }, 7],
    [
      'undefined counts as not given',
      { backoff: connectRetry() },
      { backoff: undefined, maxRetries: undefined },
      7,
    ],
  ])('%s', (_, policy, override, shown) => {
    expect(overridePolicy(createPolicy(policy), override).maxRetries).toBe(shown);
  });

  test('an override of an override keeps maxRetries', () => {
    const once = overridePolicy(createPolicy(), { maxRetries: 1 });
    expect(overridePolicy(once, { backoff: connectRetry() }).maxRetries).toBe(1);
  });
});
