import { describe, expect, test } from 'vitest';
import { numberOf, signature } from './signature.ts';

test('each object has a number of its own, which stays', () => {
  const [one, other] = [{}, {}];
  const [first, second] = [numberOf(one), numberOf(other)];
  expect([numberOf(one), numberOf(other)]).toEqual([first, second]);
  expect(Number(second.slice(1))).toBe(Number(first.slice(1)) + 1);
});

const symbol = Symbol('s');
const bare = (fields: object) => Object.assign(Object.create(null), fields);

test.each<[what: string, value: unknown, text: string]>([
  ['a text', 'a"b', '"a\\"b"'],
  ['a number', 5, '5'],
  ['null', null, 'null'],
  ['nothing', undefined, 'undefined'],
  ['a list', ['a', 1, [null]], '["a",1,[null]]'],
  ['an object, by its names in order', { b: 1, a: '1' }, '{"a":"1","b":1}'],
  ['an object without a prototype', bare({ a: { b: true } }), '{"a":{"b":true}}'],
  ['a symbol as a name', { [symbol]: 1 }, '{"Symbol(s)":1}'],
  ['what is not set', { a: undefined, b: 2 }, '{"b":2}'],
  ['only what is not set', { a: undefined }, '{}'],
])('the text of %s', (_, value, text) => {
  expect(signature(value)).toBe(text);
});

class Own {
  a = 1;
}

describe('what has an identity is equal to itself alone', () => {
  test.each<[what: string, make: () => unknown]>([
    ['a function', () => () => 1],
    ['an instance', () => new Own()],
    ['a map', () => new Map()],
  ])('%s', (_, make) => {
    const value = make();
    expect(signature({ in: value })).toBe(`{"in":${numberOf(value as object)}}`);
    expect(signature(value)).not.toBe(signature(make()));
  });
});

/** A value that many lists, or objects, deep. */
const listed = (depth: number): unknown => (depth === 0 ? 'x' : [listed(depth - 1)]);
const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });

describe('values are compared to the eighth level', () => {
  test.each<[what: string, make: (depth: number) => unknown]>([
    ['lists', listed],
    ['objects', nested],
  ])('%s', (_, make) => {
    expect(signature(make(8))).toBe(signature(make(8)));
    expect(signature(make(9))).not.toBe(signature(make(9)));
    expect(signature(make(9))).toMatch(/#\d+[\]}]{8}$/);
  });
});
