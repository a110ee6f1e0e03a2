import type { Costs, RequestTraits } from '@ebb/core';
import { describe, expect, test } from 'vitest';

import { estimatedCost } from './estimated-cost.ts';

const requestTo = (url = 'https://a.test/'): RequestTraits => ({
  method: 'POST',
  url,
  replayable: true,
  header: () => undefined,
});

/** A cost of one unit that has learned these answers, each to a request that could have cost 1,000. */
function after(answers: readonly number[], options = {}) {
  const cost = estimatedCost(() => 1_000, options);
  for (const actual of answers) cost.learnerFor(requestTo())(actual);
  return cost(requestTo());
}

describe('what is reserved', () => {
  test.each<[story: string, answers: readonly number[], options: object, reserved: number]>([
    ['the bound at first', [], {}, 1_000],
    ['another share at first', [], { first: 0.5 }, 500],
    ['what one answer has cost', [200], {}, 200],
    ['what three in four answers do not exceed', [100, 200, 300, 400], {}, 300],
    ['the most of all', [100, 200, 300, 400], { quantile: 1 }, 400],
    ['never more than the bound', [5_000], {}, 1_000],
    ['at least one token', [0], {}, 1],
    ['whole tokens', [0.5], {}, 1],
    ['the hundredth answer back', [900, ...Array(99).fill(10)], { quantile: 1 }, 900],
    ['not the one before', [900, ...Array(100).fill(10)], { quantile: 1 }, 10],
    ['the last hundred answers alone', [...Array(100).fill(900), ...Array(100).fill(10)], {}, 10],
  ])('%s', (_, answers, options, reserved) => {
    expect(after(answers, options)).toBe(reserved);
  });

  test.each<[story: string, asked: number, reserved: readonly number[]]>([
    ['one by one: what the last has cost', 0, [20, 20, 300]],
    ['four that begin together: no less than at first, until all have come', 4, [100, 100, 300, 20]],
    ['a thousand: until a hundred have come', 1_000, [...Array(99).fill(100), 20]],
  ])('the short answers come first. Of %s', (_, asked, reserved) => {
    const cost = estimatedCost(() => 1_000, { first: 0.1 });
    const requests = Array.from({ length: asked }, () => requestTo());
    for (const request of requests) expect(cost(request)).toBe(100);
    const answers = reserved.map((_, at) => (reserved.length === 100 || at !== 2 ? 20 : 300));
    const seen = answers.map((actual, at) => {
      cost.learnerFor(requests[at] ?? requestTo())(actual);
      return cost(requestTo());
    });
    expect(seen).toEqual(reserved);
  });

  test('of several units each by itself, and one that answers do not name at its bound', () => {
    const cost = estimatedCost(() => ({ requests: 5, input: 1_000, output: 4_000 }), { first: 0.1 });
    expect(cost(requestTo())).toEqual({ requests: 1, input: 100, output: 400 });
    cost.learnerFor(requestTo())({ input: 500, output: 1_000 });
    expect(cost(requestTo())).toEqual({ requests: 5, input: 500, output: 1_000 });
  });

  test('by key', () => {
    const cost = estimatedCost(() => 1_000, { keyOf: ({ url }) => url, first: 0.1 });
    cost.learnerFor(requestTo('https://a.test/'))(500);
    expect(cost(requestTo('https://a.test/'))).toBe(500);
    expect(cost(requestTo('https://b.test/'))).toBe(100);
  });

  test('units have any name', () => {
    const most = JSON.parse('{"__proto__":1000,"constructor":1000}') as Costs;
    const cost = estimatedCost(() => most, { first: 0.1 });
    expect(Object.entries(cost(requestTo()))).toEqual([
      ['__proto__', 100],
      ['constructor', 100],
    ]);
    cost.learnerFor(requestTo())(JSON.parse('{"__proto__":300,"toString":1}') as Costs);
    expect(Object.entries(cost(requestTo()))).toEqual([
      ['__proto__', 300],
      ['constructor', 1_000],
    ]);
  });
});

test('the bound of a request is asked for once', () => {
  let asked = 0;
  const cost = estimatedCost(() => {
    asked += 1;
    return 1_000;
  });
  const request = requestTo();
  cost(request);
  cost(request);
  cost.learnerFor(request)(1);
  expect(asked).toBe(1);
});

test('an answer that may cost nothing teaches no share', () => {
  let most = 0;
  const cost = estimatedCost(() => most);
  cost.learnerFor(requestTo())(0);
  most = 1_000;
  expect(cost(requestTo())).toBe(1_000);
});

test('the thousand keys that were used last are kept', () => {
  const cost = estimatedCost(() => 1_000, { keyOf: ({ url }) => url, first: 0.1 });
  for (let key = 0; key < 1_001; key += 1) {
    cost.learnerFor(requestTo(`https://${key}.test/`))(500);
    cost(requestTo('https://0.test/'));
  }
  for (const key of [0, 2, 1_000]) expect(cost(requestTo(`https://${key}.test/`))).toBe(500);
  expect(cost(requestTo('https://1.test/'))).toBe(100);
});

describe('what is wrong', () => {
  test.each<[options: object, message: string]>([
    [{ quantile: 0 }, 'estimatedCost: quantile must be a number > 0 and ≤ 1, got 0'],
    [{ quantile: 1.1 }, 'estimatedCost: quantile must be a number > 0 and ≤ 1, got 1.1'],
    [{ first: Number.NaN }, 'estimatedCost: first must be a number > 0 and ≤ 1, got NaN'],
    [{ first: '0.1' }, 'estimatedCost: first must be a number > 0 and ≤ 1, got "0.1"'],
    [{ keyOf: 'model' }, 'estimatedCost: keyOf must be a function, got "model"'],
    [{ key: 'model' }, 'estimatedCost has no option "key"'],
  ])('%j', (options, message) => {
    expect(() => estimatedCost(() => 1, options as never)).toThrow(message);
  });

  test('no function', () => {
    expect(() => estimatedCost(5 as never)).toThrow('estimatedCost: bound must be a function, got 5');
  });

  test.each<[most: unknown, message: string]>([
    [-1, 'its result must be a finite number ≥ 0, got -1'],
    ['5', 'its result must be a number, or an object with a number for each unit, got "5"'],
    [{ input: Number.NaN }, 'its result: input must be a finite number ≥ 0, got NaN'],
  ])('a bound of %j', (most, message) => {
    expect(() => estimatedCost(() => most as number)(requestTo())).toThrow(message);
  });

  test('a key that is no text', () => {
    const cost = estimatedCost(() => 1, { keyOf: () => 5 as never });
    expect(() => cost(requestTo())).toThrow('keyOf: its result must be a string, got 5');
  });
});
