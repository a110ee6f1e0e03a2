import { expect, test } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { headerIn, responseHeader } from './headers.ts';

test.each<[what: string, headers: unknown, name: string, value: string | undefined]>([
  ['of `Headers`', new Headers({ A: '1' }), 'a', '1'],
  ['that `Headers` do not have', new Headers({ A: '1' }), 'b', undefined],
  ['of an object, by any case', { x: 0, 'Retry-After': 5 }, 'retry-after', '5'],
  ['that an object does not have', { x: 0 }, 'retry-after', undefined],
  ['that is null', { a: null }, 'a', undefined],
  ['that is undefined', { a: undefined }, 'a', undefined],
  ['with the name of the lookup', { get: 'it' }, 'get', 'it'],
  ['of no headers', undefined, 'a', undefined],
  ['of null', null, 'a', undefined],
  ['of a text', 'text', '0', undefined],
])('a header %s', (_, headers, name, value) => {
  expect(responseHeader(headers, name)).toBe(value);
  expect(headerIn(headers, name)).toBe(value);
});

test('headers whose lookup throws have none, in an error', () => {
  const broken = { get: throwing(new Error('defect')) };
  expect(() => responseHeader(broken, 'a')).toThrow('defect');
  expect(headerIn(broken, 'a')).toBeUndefined();
});
