import fc from 'fast-check';
import { expect, test } from 'vitest';
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
