import { expect, test } from 'vitest';
import { createPolicy, overridePolicy, type PolicyOptions } from './policy.ts';

test('the defaults', () => {
  const { backoff, classify, clock, random, ...rest } = createPolicy();
  // The brand of a policy is a symbol, and is not what this is about.
  expect(Object.fromEntries(Object.entries(rest))).toEqual({
    maxRetries: 5,
    methods: 'idempotent',
    maxRetryAfterMs: 600_000,
    attemptTimeoutMs: undefined,
    totalTimeoutMs: undefined,
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
  expect(classify({ type: 'response', status: 503, header: () => undefined })).toBe('transient');
  expect(clock.now()).toBeGreaterThan(Date.UTC(2020, 0));
  expect(random()).toBeLessThan(1);
});

test.each<[options: unknown, message: string, type: ErrorConstructor]>([
  [{ maxRetries: -1 }, 'createPolicy: maxRetries takes a whole number from 0, and was given -1', RangeError],
  [{ maxRetries: Number.NaN }, 'maxRetries takes a whole number from 0, and was given NaN', RangeError],
  [{ maxRetries: 1.5 }, 'maxRetries takes a whole number from 0, and was given 1.5', RangeError],
  [{ maxRetries: Number.POSITIVE_INFINITY }, 'maxRetries takes a whole number from 0', RangeError],
  [{ maxRetries: '3' }, 'maxRetries takes a whole number from 0, and was given "3"', TypeError],
  [{ maxRetries: null }, 'maxRetries takes a whole number from 0, and was given null', TypeError],
  [{ backoff: 'exponential' }, 'backoff takes a function, and was given "exponential"', TypeError],
  [{ backoff: 100 }, 'backoff takes a function, and was given 100', TypeError],
  [{ classify: [503] }, 'classify takes a function, and was given an array', TypeError],
  [
    { methods: 'GET' },
    "methods takes 'idempotent', 'all' or a list of methods, and was given \"GET\"",
    RangeError,
  ],
  [{ methods: [1] }, 'methods takes', TypeError],
  [{ maxRetryAfterMs: -1 }, 'maxRetryAfterMs takes a finite number from 0', RangeError],
  [{ attemptTimeoutMs: 0 }, 'attemptTimeoutMs takes a finite number above 0', RangeError],
  [
    { totalTimeoutMs: Number.NaN },
    'totalTimeoutMs takes a finite number from 0, and was given NaN',
    RangeError,
  ],
  [{ totalTimeoutMs: -5 }, 'totalTimeoutMs takes a finite number from 0, and was given -5', RangeError],
  [{ bucket: { rate: 5 } }, 'bucket takes', TypeError],
  [{ budget: 0.2 }, 'budget takes a retry budget, and was given 0.2', TypeError],
  [{ cost: 0 }, 'cost takes a finite number above 0, and was given 0', RangeError],
  [{ cost: Number.NaN }, 'cost takes a finite number above 0, and was given NaN', RangeError],
  [{ cost: '1' }, 'cost takes a finite number above 0, and was given "1"', TypeError],
  [{ onEvent: {} }, 'onEvent takes a function, and was given an object', TypeError],
  [{ clock: Date }, 'clock takes a clock, and was given a function', TypeError],
  [{ random: 4 }, 'random takes a function, and was given 4', TypeError],
  [{ maxRetry: 3 }, 'createPolicy has no option "maxRetry"; it takes maxRetries, backoff', TypeError],
  [{ methods: 5 }, 'createPolicy: methods takes', TypeError],
  [{ clock: null }, 'createPolicy: clock takes a clock, and was given null', TypeError],
  [{ toString: 3 }, 'createPolicy has no option "toString"', TypeError],
  ['5', 'createPolicy takes an object of options, and was given "5"', TypeError],
  [null, 'createPolicy takes an object of options, and was given null', TypeError],
])('createPolicy(%j) is an error', (options, message, type) => {
  expect(() => createPolicy(options as PolicyOptions)).toThrow(type);
  expect(() => createPolicy(options as PolicyOptions)).toThrow(message);
});

test('an option that is undefined counts as not given', () => {
  expect(createPolicy({ maxRetries: undefined }).maxRetries).toBe(5);
});

test('a policy in place of options is that policy', () => {
  const policy = createPolicy({ maxRetries: 1 });
  expect(createPolicy(policy)).toBe(policy);
});

test('a policy cannot be changed, nor by the list that it was given', () => {
  const methods = ['get'];
  const policy = createPolicy({ methods });
  methods.push('POST');
  expect(policy.methods).toEqual(['GET']);
  expect(Object.isFrozen(policy)).toBe(true);
});

test('an override changes what it names and shares the rest', () => {
  const budget = { balance: 1, deposit: () => undefined, withdraw: () => true };
  const policy = createPolicy({ maxRetries: 1, budget });
  const changed = overridePolicy(policy, { maxRetries: 0 });
  expect(changed).toEqual({ ...policy, maxRetries: 0 });
  expect(changed.budget).toBe(budget);
  expect(policy.maxRetries).toBe(1);
  expect(() => overridePolicy(policy, { maxRetries: -1 })).toThrow(
    'ebb: maxRetries takes a whole number from 0',
  );
});
