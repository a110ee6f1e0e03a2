// What a reader finds who types a word into the search of the built site.
import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { weigh, wordsOf, wordsOfQuestion } from '../../docs/.vitepress/site/search.ts';
import { dist } from './built.ts';
import { QUESTIONS } from './questions.ts';

interface Index {
  search(question: string): readonly { readonly id: string }[];
}

interface MiniSearch {
  loadJSON(json: string, options: object): Index;
}

// The library of the site's search, with the settings that VitePress gives it.
const vitepress = createRequire(new URL('../../docs/package.json', import.meta.url)).resolve('vitepress');
const { default: library } = (await import(createRequire(vitepress).resolve('minisearch'))) as {
  default: MiniSearch & { readonly default?: MiniSearch };
};
const SETTINGS = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  tokenize: wordsOf,
  searchOptions: {
    fuzzy: 0.2,
    prefix: true,
    boost: { title: 4, text: 2, titles: 1 },
    tokenize: wordsOfQuestion,
    boostDocument: weigh,
    combineWith: 'OR',
  },
};

let index: Index;
beforeAll(async () => {
  const [file = ''] = globSync(join(dist, 'assets/chunks/@localSearchIndexroot.*.js'));
  const { default: json } = (await import(file)) as { default: string };
  index = (library.default ?? library).loadJSON(json, SETTINGS);
});

/** The first pages of the results. */
function pagesFor(question: string): string[] {
  const pages = index
    .search(question)
    .map(({ id }) => id.replace(/^\/ebb\/|\.html.*/g, '').replace(/^\//, ''));
  return [...new Set(pages)].slice(0, 3);
}

test('a question of several words is answered, most often in the first three pages', () => {
  const found = QUESTIONS.map(([question]) => pagesFor(question));
  expect(QUESTIONS.filter((_, at) => found[at]?.length === 0)).toEqual([]);
  const missed = QUESTIONS.filter(([, ...wanted], at) => !wanted.some((page) => found[at]?.includes(page)));
  expect(missed.map(([question]) => question).length).toBeLessThanOrEqual(10);
});

/** The page that answers comes first. */
describe.each([
  ['429', 'guide/quota'],
  ['Retry-After', 'strategies/server-wait'],
  ['axios', 'packages/axios'],
  ['maxRetries', 'packages/core'],
  ['fetch', 'packages/fetch'],
  ['undici', 'packages/undici'],
  ['POST', 'guide/retry'],
  ['idempotency', 'guide/idempotency'],
  ['rate limit', 'guide/quota'],
  ['token bucket', 'strategies/token-bucket'],
  ['jitter', 'strategies/backoff'],
  ['attemptTimeoutMs', 'strategies/timeouts'],
  ['timeout', 'strategies/timeouts'],
  ['circuit breaker', 'breakers'],
  ['retry budget', 'strategies/retry-budget'],
  ['concurrency', 'strategies/concurrency'],
  ['redis', 'packages/valkey'],
  ['openai', 'guide/language-models'],
  ['hedge', 'packages/hedge'],
  ['hedges', 'strategies/hedges'],
  ['stream', 'strategies/resuming'],
  ['lambda', 'jobs'],
  ['msw', 'guide/testing'],
  ['p-retry', 'coming-from'],
  ['bottleneck', 'coming-from-limiters'],
  ['opentelemetry', 'packages/opentelemetry'],
])('%s', (question, page) => {
  test(`is answered by ${page}`, () => {
    expect(pagesFor(question)[0]).toBe(page);
  });
});
