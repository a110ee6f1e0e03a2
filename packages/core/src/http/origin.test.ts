import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { originOf } from './outcome.ts';

const URLS = [
  'http://a.test',
  'http://a.test/',
  'http://a.test/x?y#z',
  'http://a.test?/',
  'http://a.test#/',
  'http://a.test\\/x',
  'http://a.test:80/',
  'http://a.test:8080/x',
  'http://A.test/',
  'http://a.test.b.test/',
  'http://a.test@b.test/',
  'http://a.test/\n//b.test/',
  'http://a.te\nst/',
  'https://a.test/',
  'https:a.test/',
  'ws://a.test/x',
  'blob:http://a.test/x',
  'file:///x',
  'data:,x',
  'null/x',
  'null//x',
  '/x',
  '//a.test/x',
  'http://[/x',
  '',
];

test('the origin of a URL does not depend on the URLs before it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...URLS), { minLength: 1, maxLength: 10 }), (urls) => {
      const origins = urls.map((url) => originOf({ url }));
      expect(origins).toEqual(urls.map((url) => URL.parse(url)?.origin ?? url));
    }),
    { numRuns: 1_000 },
  );
});

let copies = 0;

test.each<[story: string, urls: string[], origins: string[], parsed: number]>([
  ['the first', ['http://a.test/x'], ['http://a.test'], 1],
  ['those of one origin', ['http://a.test/x', 'http://a.test/y'], ['http://a.test', 'http://a.test'], 1],
  [
    'those of two in turn',
    ['http://a.test/', 'http://b.test/', 'http://a.test/'],
    ['http://a.test', 'http://b.test', 'http://a.test'],
    3,
  ],
  ['an opaque one, and what only looks like it', ['file:///x', 'null/x'], ['null', 'null/x'], 2],
])('URLs are parsed when the origin changes: %s', async (_, urls, origins, parsed) => {
  // A copy has seen no URL yet.
  const copy = `./outcome.ts?copy=${copies++}`;
  const fresh: typeof import('./outcome.ts') = await import(copy);
  const parse = vi.spyOn(URL, 'parse');
  expect(urls.map((url) => fresh.originOf({ url }))).toEqual(origins);
  expect(parse).toHaveBeenCalledTimes(parsed);
  parse.mockRestore();
});
