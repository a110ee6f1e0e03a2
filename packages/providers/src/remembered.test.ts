import { expect, test } from 'vitest';
import { CostMemory, queryIn } from './graphql.ts';

test.each<[story: string, body: unknown, query: string | undefined]>([
  ['an object', { query: '{ a }', variables: { id: 1 } }, '{ a }'],
  ['a batch', [{ query: '{ a }' }, { query: '{ b }' }], '{ a }\n{ b }'],
  ['a persisted document', { extensions: { persistedQuery: {} } }, undefined],
  ['an empty query', { query: '' }, undefined],
])('the query of %s', (_, body, query) => {
  expect(queryIn(body)).toBe(query);
});

test('the thousand queries that were used last are remembered', () => {
  const remembered = new CostMemory();
  for (let query = 0; query < 1_001; query += 1) {
    remembered.set(String(query), query);
    remembered.get('0');
  }
  expect(remembered.get('0')).toBe(0);
  expect(remembered.get('1')).toBeUndefined();
  expect(remembered.get('1000')).toBe(1_000);
  remembered.set(undefined, 5);
  expect(remembered.get(undefined)).toBeUndefined();
});
