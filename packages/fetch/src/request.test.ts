import { LAYER } from '@ebb/core/adapter';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  absoluteUrl,
  changedHeaders,
  copyArguments,
  headerIn,
  isSimple,
  withChanges,
  withRereadableBody,
} from './request.ts';

const url = 'https://a.test/';

class Init {
  get method(): string {
    return 'PUT';
  }
  headers = { a: 'b' };
}

/** Headers that can be read only once. */
const entries = (): HeadersInit => new Map([['a', 'b']]).entries() as unknown as HeadersInit;

test.each<[story: string, input: unknown, init: object | undefined, expected: boolean]>([
  ['a text', url, undefined, true],
  ['a URL', new URL(url), undefined, true],
  ['a Request', new Request(url), undefined, false],
  ['an empty init', url, {}, true],
  ['headers', url, { headers: { a: 'b' } }, true],
  ['a text for a body', url, { method: 'PUT', body: 'text' }, true],
  ['no body', url, { method: 'DELETE', body: null }, true],
  ['a method in lower case', url, { method: 'get' }, false],
  ['a POST', url, { method: 'POST', body: 'text' }, false],
  ['bytes for a body', url, { method: 'PUT', body: new Uint8Array(1) }, false],
  ['a signal', url, { signal: new AbortController().signal }, false],
  ['no signal', url, { signal: null }, true],
  ['options of ebb', url, { ebb: {} }, false],
  ['a layer around', url, { [LAYER]: {} }, false],
  ['headers that can be read only once', url, { headers: entries() }, false],
  ['headers in pairs', url, { headers: [['a', 'b']] }, true],
  ['Headers', url, { headers: new Headers() }, true],
  ['null for headers', url, { headers: null }, true],
])('a call with %s can be passed on as it is: %#', (_, input, init, expected) => {
  expect(isSimple(input as string, init)).toBe(expected);
});

describe('changes of an init', () => {
  const signal = new AbortController().signal;

  test.each<[story: string, init: unknown, expected: object]>([
    ['none', undefined, { signal }],
    ['null', null, { signal }],
    ['options of ebb', { ebb: {}, method: 'PUT' }, { method: 'PUT', signal }],
    ['an object of a class', new Init(), { method: 'PUT', headers: { a: 'b' }, signal }],
  ])('%s', (_, init, expected) => {
    const [input, sent] = withChanges(url, init as RequestInit, { signal });
    expect(input).toBe(url);
    expect(sent).toMatchObject(expected);
    expect(sent).not.toHaveProperty('ebb');
  });

  test.each(['text', 1, false])('%j is no init: fetch gets it as it is', (init) => {
    expect(withChanges(url, init as never, { signal })).toEqual([url, init]);
  });

  test('a Request for an init becomes the input', () => {
    const [input, sent] = withChanges(url, new Request('https://b.test/', { method: 'PUT' }) as never, {
      signal,
    });
    expect(input).toMatchObject({ url, method: 'PUT' });
    expect(sent).toEqual({ signal });
  });
});

describe('what later attempts send', () => {
  test.each(['text', 1, false])('an init that is none stays: %j', (init) => {
    expect(copyArguments(url, init as never)).toEqual([url, init]);
  });

  test('a Request for an init stays', () => {
    const init = new Request(url);
    expect(copyArguments(url, init as never)[1]).toBe(init);
  });

  test.each<[story: string, headers: unknown]>([
    ['pairs that are none', [1]],
    ['an iterable that fails', { [Symbol.iterator]: 1, constructor: Headers }],
  ])('headers that fetch refuses stay: %s', (_, headers) => {
    expect(copyArguments(url, { headers: headers as never })[1]?.headers).toBe(headers);
  });

  test('without an init there is none, and a body of bytes stays', () => {
    expect(copyArguments(url, undefined)).toEqual([url, undefined]);
    const body = new Uint8Array(1);
    expect(copyArguments(url, { body })[1]?.body).toBe(body);
  });

  test('of a Request: its headers, or those of the init, and where it came from', () => {
    const request = new Request(url, { headers: { a: 'b' }, referrerPolicy: 'origin' });
    expect(copyArguments(request, undefined)[1]).toMatchObject({ referrerPolicy: 'origin' });
    expect(headerIn(copyArguments(request, undefined)[1]?.headers, 'a')).toBe('b');
    expect(headerIn(copyArguments(request, { headers: { a: 'c' } })[1]?.headers, 'a')).toBe('c');
  });
});

test('headers that can be read only once are read', () => {
  const init = withRereadableBody({ headers: entries(), method: 'PUT' });
  expect([0, 1].map(() => headerIn(init.headers, 'a'))).toEqual(['b', 'b']);
  expect(init.method).toBe('PUT');
  const plain = { headers: { a: 'b' } };
  expect(withRereadableBody(plain)).toBe(plain);
  expect(withRereadableBody(undefined)).toBe(undefined);
});

test.each<[headers: unknown, value: string | undefined]>([
  [{ A: 'b' }, 'b'],
  [{}, undefined],
  [undefined, undefined],
  [null, undefined],
  [1, undefined],
  [{ 'no name': 'b' }, undefined],
])('a header of %j', (headers, value) => {
  expect(headerIn(headers as HeadersInit, 'a')).toBe(value);
});

test('an error of a header that is changed does not quote its value', () => {
  expect([...changedHeaders({ a: 'b', c: 'd' }, { a: undefined, C: 'e' })]).toEqual([['c', 'e']]);
  const change = () => changedHeaders(undefined, { token: 'sec\nret' });
  expect(change).toThrow(TypeError);
  expect(change).toThrow(/^fetch: the header "token" has an invalid name or value$/);
});

describe('the URL that is sent', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each<[input: unknown, expected: string]>([
    ['https://a.test/b', 'https://a.test/b'],
    ['HTTP://a.test', 'HTTP://a.test'],
    [new URL(url), url],
    ['data:,text', 'data:,text'],
    ['/b', '/b'],
    ['b?to=https://c.test/', 'b?to=https://c.test/'],
  ])('%s, where nothing says what it is relative to', (input, expected) => {
    expect(absoluteUrl(input)).toBe(expected);
  });

  test.each<[name: string, value: object]>([
    ['document', { baseURI: 'https://a.test/b/' }],
    ['location', { href: 'https://a.test/b/' }],
  ])('relative to the %s', (name, value) => {
    vi.stubGlobal(name, value);
    expect(absoluteUrl('c?to=https://d.test/')).toBe('https://a.test/b/c?to=https://d.test/');
    expect(absoluteUrl('data:,text')).toBe('data:,text');
    expect(absoluteUrl('http://a.test')).toBe('http://a.test');
  });

  test('relative to a document before a location', () => {
    vi.stubGlobal('document', { baseURI: 'https://a.test/' });
    vi.stubGlobal('location', { href: 'https://b.test/' });
    expect(absoluteUrl('c')).toBe('https://a.test/c');
  });
});
