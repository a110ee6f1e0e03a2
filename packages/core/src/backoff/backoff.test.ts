import { describe, expect, test } from 'vitest';
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

/** The delays of the first retries, each with the previous one, and with a fixed random number. */
function delays(rule: BackoffStrategy, count: number, random: number): (number | undefined)[] {
  const answers: (number | undefined)[] = [];
  for (let retry = 1; retry <= count; retry += 1) {
    answers.push(rule({ retry, previousDelayMs: answers.at(-1), random: () => random }));
  }
  return answers;
}

const curve = { baseMs: 100, capMs: 1_000 };
const almostOne = 1 - 2 ** -53;
const seconds = { unitMs: 1_000 };

type Row = readonly [
  name: string,
  rule: () => BackoffStrategy,
  random: number,
  expected: (number | undefined)[],
];

/** The rows of each rule, by its name: each with a fixed random number, and the delays. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  memorystore: [
    ['memorystore, random 0', () => memorystore(), 0, [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, 64e3, 64e3]],
    ['random 0.5', () => memorystore(), 0.5, [1_500, 2_500, 4_500, 8_500, 16_500, 32_500, 64e3, 64e3]],
    ['memorystore, most', () => memorystore(), almostOne, [2e3, 3e3, 5e3, 9e3, 17e3, 33e3, 64e3]],
    ['cap 32 s', () => memorystore({ maximumBackoffMs: 32e3 }), 0, [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 32e3]],
    ['memorystore, no jitter', () => memorystore({ jitterMs: 0 }), 0.9, [1e3, 2e3, 4e3]],
  ],
  exponential: [['exponential', () => exponential(curve), 0.5, [100, 200, 400, 800, 1_000, 1_000]]],
  fullJitter: [
    ['fullJitter, random 0', () => fullJitter(curve), 0, [0, 0, 0, 0, 0]],
    ['fullJitter, random 0.5', () => fullJitter(curve), 0.5, [50, 100, 200, 400, 500]],
  ],
  equalJitter: [
    ['equalJitter, random 0', () => equalJitter(curve), 0, [50, 100, 200, 400, 500]],
    ['equalJitter, random 0.5', () => equalJitter(curve), 0.5, [75, 150, 300, 600, 750]],
  ],
  decorrelatedJitter: [
    ['decorrelatedJitter, random 0', () => decorrelatedJitter(curve), 0, [100, 100, 100]],
    ['decorrelatedJitter, random 0.5', () => decorrelatedJitter(curve), 0.5, [200, 350, 575, 912.5, 1_000]],
  ],
  constant: [
    ['constant', () => constant(250), 0.5, [250, 250, 250]],
    ['no backoff', () => constant(0), 0.5, [0, 0, 0]],
  ],
  celery: [
    ['celery without jitter', () => celery({ factorMs: 1_000, fullJitter: false }), 0, [1e3, 2e3, 4e3, 8e3]],
    ['celery at its maximum', () => celery({ factorMs: 400_000, fullJitter: false }), 0, [4e5, 6e5, 6e5]],
    ['celery draws 0 to the delay', () => celery({ factorMs: 3 }), almostOne, [3, 6, 12, 24]],
    ['celery draws whole numbers', () => celery({ factorMs: 3 }), 0.5, [2, 3, 6, 12]],
    ['celery draws up to its maximum', () => celery({ factorMs: 8, maximumMs: 3 }), 0.5, [2, 2, 2]],
    ['seconds', () => celery({ ...seconds, factorMs: 3e3, maximumMs: 2e4 }), 0.5, [2e3, 3e3, 6e3, 1e4, 1e4]],
    ['most', () => celery({ ...seconds, factorMs: 1e3, maximumMs: 5e3 }), almostOne, [1e3, 2e3, 4e3, 5e3]],
    [
      'not drawn',
      () => celery({ ...seconds, factorMs: 2e3, maximumMs: 7e3, fullJitter: false }),
      0.5,
      [2e3, 4e3, 7e3],
    ],
    ['celery, factor 0', () => celery({ factorMs: 0 }), 0.5, [0, 0, 0]],
  ],
  binaryExponential: [
    ['Ethernet, least', () => binaryExponential({ slotMs: 51.2 }), 0, Array(15).fill(0).concat(undefined)],
    [
      'Ethernet, most: 2^c − 1 slots, up to 1,023',
      () => binaryExponential({ slotMs: 1 }),
      almostOne,
      [1, 3, 7, 15, 31, 63, 127, 255, 511, 1_023, 1_023, 1_023, 1_023, 1_023, 1_023, undefined],
    ],
    ['Ethernet, limit 2', () => binaryExponential({ slotMs: 1, attemptLimit: 2 }), almostOne, [1, undefined]],
  ],
  connectRetry: [
    ['APUE', () => connectRetry(), 0, [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 64e3, undefined, undefined]],
    ['APUE, at most 4 s', () => connectRetry({ maxSleepMs: 8_000 }), 0, [1e3, 2e3, 4e3, undefined]],
  ],
};

test('each rule of @ebb/core has rows', () => {
  expect(Object.keys(ROWS).sort()).toEqual(RULES);
  for (const [name, rows] of Object.entries(ROWS)) expect(rows, name).not.toHaveLength(0);
});

describe('each rule returns the numbers of its source', () => {
  test.each(Object.values(ROWS).flat())('%s', (_, rule, random, expected) => {
    expect(delays(rule(), expected.length, random)).toEqual(expected);
  });

  test('Ethernet: every number of slots from 0 to 2^c − 1 is equally likely: (2^c − 1) / 2 on average', () => {
    for (let collisions = 1; collisions <= 15; collisions += 1) {
      const range = 2 ** Math.min(collisions, 10);
      const rule = binaryExponential({ slotMs: 1 });
      const slots = Array.from({ length: range }, (_, k) =>
        rule({ retry: collisions, previousDelayMs: undefined, random: () => (k + 0.5) / range }),
      );
      expect(slots).toEqual(Array.from({ length: range }, (_, k) => k));
      expect(slots.reduce((sum: number, slot) => sum + (slot ?? 0), 0) / range).toBe((range - 1) / 2);
    }
  });
});

describe('a wrong option is an error that names it', () => {
  test.each<[make: () => unknown, message: RegExp, type: ErrorConstructor]>([
    [() => memorystore({ maximumBackoffMs: -1 }), /maximumBackoffMs must be a finite number ≥ 0/, RangeError],
    [() => memorystore({ jitterMs: 0.5 }), /jitterMs must be a whole number ≥ 0, got 0.5/, RangeError],
    [() => memorystore({ maxBackoffMs: 1 } as never), /memorystore has no option "maxBackoffMs"/, TypeError],
    [() => exponential({ baseMs: Number.NaN, capMs: 1 }), /exponential: baseMs .* got NaN/, RangeError],
    [() => fullJitter({ baseMs: 1 } as never), /fullJitter: capMs .* got undefined/, TypeError],
    [() => equalJitter({ baseMs: '1', capMs: 1 } as never), /equalJitter: baseMs .* got "1"/, TypeError],
    [() => decorrelatedJitter(undefined as never), /decorrelatedJitter: options must be/, TypeError],
    [() => constant(Number.POSITIVE_INFINITY), /constant: delayMs .* got Infinity/, RangeError],
    [() => celery({} as never), /celery: factorMs .* got undefined/, TypeError],
    [() => celery({ factorMs: 1, fullJitter: 1 } as never), /fullJitter must be true or false/, TypeError],
    [() => celery({ factorMs: 1, unitMs: 0 }), /celery: unitMs must be a whole number ≥ 1/, RangeError],
    [() => celery({ factorMs: 1_500, ...seconds }), /factorMs .* unit, 1000 ms, got 1500/, RangeError],
    [() => celery({ factorMs: 1e3, maximumMs: 2_500, ...seconds }), /maximumMs .* got 2500/, RangeError],
    [() => celery({ factorMs: 1, maximumMs: 0.5 }), /maximumMs .* multiple of the unit, 1 ms/, RangeError],
    [() => celery({ factorMs: 7, unitMs: 7 }), /maximumMs must be a multiple .* got 600000/, RangeError],
    [() => binaryExponential({ slotMs: 0 }), /^binaryExponential: slotMs must be .* > 0/, RangeError],
    [() => binaryExponential({ slotMs: 1, attemptLimit: 0 }), /attemptLimit/, RangeError],
    [() => connectRetry({ maxSleepMs: '128' } as never), /^connectRetry: maxSleepMs/, TypeError],
  ])('%s', (make, message, type) => {
    expect(make).toThrow(type);
    expect(make).toThrow(message);
  });
});

test.each([
  [{ slotMs: 1 }, 0, 0],
  [{ slotMs: 1 }, 0.5, 2 ** 1_022],
  [{ slotMs: 1 }, 0.75, 2 ** 1_022 + 2 ** 1_021],
  [{ slotMs: 10 }, 0.75, Number.MAX_VALUE],
])('%j and an exponent beyond the range of doubles, with a random %d', (options, random, delayMs) => {
  const rule = binaryExponential({ ...options, maxExponent: 2_000, attemptLimit: 3_000 });
  expect(rule({ retry: 2_500, previousDelayMs: undefined, random: () => random })).toBe(delayMs);
});
