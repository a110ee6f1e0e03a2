import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { RULES } from '../../test/rules.ts';
import {
  type BackoffStrategy,
  binaryExponential,
  celery,
  connectRetry,
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
} from '../index.ts';
import type { Curve } from './curves.ts';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
/** Retries far beyond the exponents of doubles. */
const retry = fc.integer({ min: 1, max: 3_000 });

function answer(rule: BackoffStrategy, retryNumber: number, random: number, previousDelayMs?: number) {
  return rule({ retry: retryNumber, previousDelayMs, random: () => random });
}

/** Any valid options: up to the largest, and down to where halves are still exact. */
const anyPositive = fc.double({ min: 1e-300, max: Number.MAX_VALUE, noNaN: true });
const anyWhole = fc.oneof(fc.nat(3_000), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const anyCounting = anyWhole.map((n) => Math.max(1, n));
const anyCurve = fc.record({ baseMs: anyPositive, capMs: fc.oneof(fc.constant(0), anyPositive) });
/** A rule with some options, and the longest delay that it may return. */
type AnyRule = readonly [rule: BackoffStrategy, mostMs: number];

const ofCurve = (make: (curve: Curve) => BackoffStrategy): fc.Arbitrary<AnyRule> =>
  anyCurve.map((curve) => [make(curve), curve.capMs]);

/** Each rule with any valid options. */
const ANY: Readonly<Record<string, fc.Arbitrary<AnyRule>>> = {
  exponential: ofCurve(exponential),
  fullJitter: ofCurve(fullJitter),
  equalJitter: ofCurve(equalJitter),
  decorrelatedJitter: ofCurve(decorrelatedJitter),
  constant: fc.oneof(fc.constant(0), anyPositive).map((delayMs) => [constant(delayMs), delayMs]),
  memorystore: fc.tuple(anyPositive, anyWhole).map(([maximumBackoffMs, jitterMs]) => {
    return [memorystore({ maximumBackoffMs, jitterMs }), maximumBackoffMs];
  }),
  celery: fc.tuple(anyWhole, anyPositive, fc.boolean()).map(([factorMs, maximum, fullJitter]) => {
    const maximumMs = Math.ceil(maximum);
    return [celery({ factorMs, maximumMs, fullJitter }), maximumMs];
  }),
  binaryExponential: fc
    .tuple(anyPositive, anyCounting, anyCounting)
    .map(([slotMs, maxExponent, attemptLimit]) => {
      return [binaryExponential({ slotMs, maxExponent, attemptLimit }), Number.MAX_VALUE];
    }),
  connectRetry: anyPositive.map((maxSleepMs) => [connectRetry({ maxSleepMs }), maxSleepMs / 2]),
};

test('each rule of @ebb/core has options to draw', () => {
  expect(Object.keys(ANY).sort()).toEqual(RULES);
});

test.each(Object.entries(ANY))(
  '%s with any options returns a delay within its cap, for any retry',
  (_, anyRule) => {
    const anyRandom = fc.oneof(fc.constantFrom(0, 1 - Number.EPSILON / 2), unit);
    const steps = fc.array(fc.record({ skipped: anyWhole, random: anyRandom }), { maxLength: 20 });
    fc.assert(
      fc.property(anyRule, steps, ([rule, mostMs], steps) => {
        let at = 0;
        let previousMs: number | undefined;
        for (const { skipped, random } of steps) {
          at += random < 0.5 ? 1 : skipped;
          if (at === 0) continue;
          const delayMs = answer(rule, at, random, previousMs);
          if (delayMs === undefined) continue;
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThanOrEqual(mostMs);
          previousMs = delayMs;
        }
      }),
      { numRuns: runs(300) },
    );
  },
);

/** Python's `random.randrange(stop)`, from a random number from 0 to 1. */
type RandRange = (stop: bigint) => bigint;

/** Celery's `get_exponential_backoff_interval`, line by line, with the unbounded integers of Python. */
function celeryInterval(
  factor: bigint,
  retries: bigint,
  maximum: bigint,
  fullJitter: boolean,
  randrange: RandRange,
): bigint {
  const grown = factor * 2n ** retries;
  let countdown = maximum < grown ? maximum : grown;
  if (fullJitter) countdown = randrange(countdown + 1n);
  return countdown > 0n ? countdown : 0n;
}

test('celery in seconds is the result of Celery, times a thousand', () => {
  const seconds = fc.integer({ min: 0, max: 1e5 });
  const counted = fc.record({
    factor: seconds,
    maximum: seconds,
    at: retry,
    random: unit,
    jitter: fc.boolean(),
  });
  fc.assert(
    fc.property(counted, fc.constantFrom(1, 1_000), ({ factor, maximum, at, random, jitter }, unitMs) => {
      const rule = celery({
        factorMs: factor * unitMs,
        maximumMs: maximum * unitMs,
        fullJitter: jitter,
        unitMs,
      });
      const randrange: RandRange = (stop) => BigInt(Math.floor(random * Number(stop)));
      const countdown = celeryInterval(BigInt(factor), BigInt(at - 1), BigInt(maximum), jitter, randrange);
      expect(answer(rule, at, random)).toBe(Number(countdown) * unitMs);
    }),
    { numRuns: runs(1_000) },
  );
});

test('celery draws every whole unit up to the delay equally often, also at the maximum', () => {
  const rule = celery({ factorMs: 1_000, maximumMs: 5_000, unitMs: 1_000 });
  for (const [at, most] of [
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 5],
    [9, 5],
  ] as const) {
    const drawn = Array.from({ length: most + 1 }, (_, k) => answer(rule, at, (k + 0.5) / (most + 1)));
    expect(drawn).toEqual(Array.from({ length: most + 1 }, (_, k) => k * 1_000));
  }
});

test('a rule that gives up has a delay for each of its retries, and none after', () => {
  const ending = fc.oneof(
    fc.integer({ min: 0, max: 1e7 }).map((maxSleepMs) => connectRetry({ maxSleepMs })),
    fc.integer({ min: 1, max: 40 }).map((attemptLimit) => binaryExponential({ slotMs: 1, attemptLimit })),
  );
  fc.assert(
    fc.property(ending, unit, (rule, random) => {
      const { maxRetries = -1 } = rule;
      for (let at = 1; at <= maxRetries; at += 1) expect(answer(rule, at, random)).toBeDefined();
      expect(answer(rule, maxRetries + 1, random)).toBeUndefined();
    }),
  );
});
