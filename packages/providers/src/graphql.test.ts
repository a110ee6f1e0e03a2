import { expect, test } from 'vitest';
import { isQuery, operationsOf, repeatsQueries } from './graphql.ts';

test.each<[story: string, document: string, kinds: string[]]>([
  ['a query', 'query { a }', ['query']],
  ['the short form', '{ a }', ['query']],
  ['variables with defaults', 'query Q($a: In = {b: "}"}, $c: [Int!]! = [1, -2.5e3]) { a }', ['query Q']],
  ['a byte order mark and commas', '\uFEFF, query ,, { a }', ['query']],
  ['an empty string', '{ a(b: "") }', ['query']],
  ['an empty block string', '{ a(b: """""") }', ['query']],
  ['a description', '"""mutation {""" query { a }', ['query']],
  ['a string over two lines', '{ a(b: "\n") }', []],
  ['a string without an end', '{ a(b: "', []],
  ['a block string without an end', '{ a(b: """ \\""") }', []],
  ['no end', 'query { a', []],
  ['an end too many', 'query { a } }', []],
  ['brackets that do not match', '{ a(b: [1)] }', []],
  ['a head without braces', 'query A mutation B { a }', []],
  ['nothing', ' # nothing', []],
  ['a fragment alone', 'fragment f on T { a }', []],
  ['no GraphQL', '<html>', []],
])('the operations of %s', (_, document, kinds) => {
  const found = operationsOf(document).map(({ kind, name }) =>
    name === undefined ? kind : `${kind} ${name}`,
  );
  expect(found).toEqual(kinds);
});

const three = 'query A { a } mutation B { b } query C { c } query C { d }';
const json = (value: unknown) => JSON.stringify(value);
const thrower = () => {
  throw new Error('no');
};
const bytes = (value: unknown) => new TextEncoder().encode(json(value));

test.each<[story: string, body: unknown, reads: boolean]>([
  ['an object', { query: '{ a }' }, true],
  ['JSON', json({ query: '{ a }' }), true],
  ['JSON after a byte order mark', `\uFEFF${json({ query: '{ a }' })}`, true],
  ['bytes', bytes({ query: '{ a(b: "é") }' }), true],
  ['a buffer', bytes({ query: '{ a }' }).buffer, true],
  ['bytes after a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, ...bytes({ query: '{ a }' })]), true],
  ['a name that occurs twice', { query: three, operationName: 'C' }, false],
  ['a name that does not occur', { query: '{ a }', operationName: 'A' }, false],
  ['a name that is none', { query: '{ a }', operationName: 5 }, false],
  ['the name null', { query: 'query A { a }', operationName: null }, true],
  ['an empty name', { query: 'query A { a }', operationName: '' }, true],
  ['a batch of queries', [{ query: '{ a }' }, { query: three, operationName: 'A' }], true],
  ['a batch with a mutation', json([{ query: '{ a }' }, { query: 'mutation { a }' }]), false],
  ['an empty batch', [], false],
  ['a persisted query', { extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } }, false],
  ['a document that cannot be read', { query: 'query {' }, false],
  ['a text that is no JSON', 'query { a }', false],
  ['a form', new URLSearchParams({ query: '{ a }' }), false],
  ['bytes that were transferred', structuredCloned(), false],
  ['an object that throws', Object.defineProperty({}, 'query', { get: thrower }), false],
  ['nothing', undefined, false],
])('a body that is %s reads: %o', (_, body, reads) => {
  expect(isQuery(body)).toBe(reads);
});

/** Bytes without their memory, which is elsewhere now. */
function structuredCloned(): Uint8Array {
  const sent = bytes({ query: '{ a }' });
  structuredClone(sent, { transfer: [sent.buffer] });
  return sent;
}

test.each<[url: string, body: unknown, key: string | undefined, repeats: boolean]>([
  ['https://a.test/graphql', { query: '{ a }' }, undefined, true],
  ['https://a.test/graphql?x=1', { query: '{ a }' }, undefined, true],
  ['https://a.test/rest', { query: '{ a }' }, undefined, false],
  ['https://a.test/graphql', { query: 'mutation { a }' }, undefined, false],
  ['https://a.test/graphql', { query: 'mutation { a }' }, 'key', true],
])('a POST to %s of %j, key %s: repeated %o', (url, body, key, repeats) => {
  const request = { method: 'POST', url, replayable: true, header: () => key, body };
  expect(repeatsQueries('/graphql')(request)).toBe(repeats);
});
