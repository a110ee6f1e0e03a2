import { describe, expect, test } from 'vitest';
import { at, bytesIn, jsonIn, listAt, numberAt, textAt, waitInWords } from './body.ts';

const json = { a: { list: [1, 2], zero: 0, below: -1, nothing: null } };

test.each<[name: string, value: unknown, text: unknown, list: unknown, number: unknown]>([
  ['list', [1, 2], undefined, [1, 2], undefined],
  ['zero', 0, undefined, [], 0],
  ['below', -1, undefined, [], undefined],
  ['nothing', null, undefined, [], undefined],
])('what is at %s', (name, value, text, list, number) => {
  expect([at, textAt, listAt, numberAt].map((read) => read(json, 'a', name))).toEqual([
    value,
    text,
    list,
    number,
  ]);
  // Deeper than there is anything.
  expect([at, textAt, listAt, numberAt].map((read) => read(json, 'b', name))).toEqual([
    undefined,
    undefined,
    [],
    undefined,
  ]);
});

test('a number that can be a cost is finite', () => {
  expect([Number.POSITIVE_INFINITY, Number.NaN, 1e308].map((value) => numberAt(value))).toEqual([
    undefined,
    undefined,
    1e308,
  ]);
});

describe('the body of a request', () => {
  const bytes = new TextEncoder().encode('{"a":"ü"}');
  const broken = Object.assign(() => undefined, { byteLength: 5 });

  test.each<[story: string, body: unknown, value: unknown, length: number]>([
    ['a text', '{"a":"ü"}', { a: 'ü' }, 10],
    ['a text with a byte order mark', '\uFEFF{"a":1}', { a: 1 }, 10],
    ['a text that is no JSON', 'a=1', undefined, 3],
    ['bytes', bytes, { a: 'ü' }, 10],
    ['bytes with a byte order mark', new TextEncoder().encode('\uFEFF[1]'), [1], 6],
    ['a buffer', bytes.buffer, { a: 'ü' }, 10],
    ['null', null, null, 4],
    ['what only has a length', broken, undefined, 5],
  ])('that is %s', (_, body, value, length) => {
    expect([jsonIn(body), bytesIn(body)]).toEqual([value, length]);
  });
});

test.each<[message: string | undefined, ms: number | undefined]>([
  ['Please try again in 6m0s.', 360_000],
  ['Please TRY AGAIN IN 1h2m3.5s and so on', 3_723_500],
  ['try again in 450ms', 450],
  ['try again in 20s. try again in 5s', 20_000],
  ['retry again in 20s', undefined],
  ['try again in 20 s', undefined],
  ['try again in 20', undefined],
  ['try again in 1.s', undefined],
  [undefined, undefined],
])('%j asks to wait for %d ms', (message, ms) => {
  expect(waitInWords(message)).toBe(ms);
});
