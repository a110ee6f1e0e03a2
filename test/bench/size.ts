// The bytes that ebb and other libraries add to a bundle, minified by esbuild and compressed by brotli.
// Run: pnpm bench size
import { bundleSize, type Size } from './measure/bundle.ts';
import { markdown, number } from './measure/markdown.ts';
import { rival, rivalsIn } from './rivals/folder.ts';

const FETCH = `export { createFetch } from '@ebb/fetch'`;
const AXIOS = `export { ebbInterceptor } from '@ebb/axios'`;
const UNDICI = `export { ebbInterceptor } from '@ebb/undici'`;
const BUCKET = `; export { tokenBucket } from '@ebb/core'`;
const SLOTS = `; export { concurrencyLimit } from '@ebb/core'`;
const BUDGET = `; export { retryBudget } from '@ebb/core'`;

const cells = ({ minified, gzip, brotli }: Size): string[] =>
  [brotli, gzip, minified].map((bytes) => number(bytes));

async function rowsOf(programs: Readonly<Record<string, string>>): Promise<string[][]> {
  const sizes = Object.entries(programs).map(
    async ([name, program]) => [name, await bundleSize(program)] as const,
  );
  const sorted = (await Promise.all(sizes)).sort(([, one], [, other]) => one.brotli - other.brotli);
  return sorted.map(([name, size]) => [name, ...cells(size)]);
}

/** What a program needs beyond another. */
async function added(name: string, program: string, base: string): Promise<string[]> {
  const [more, less] = [await bundleSize(program), await bundleSize(base)];
  const brotli = more.brotli - less.brotli;
  return [name, ...cells({ brotli, gzip: more.gzip - less.gzip, minified: more.minified - less.minified })];
}

async function rivals(folder: string): Promise<Record<string, string>> {
  const programs: Record<string, string> = {};
  for (const name of rivalsIn(folder)) {
    const { bundle } = await rival<{ readonly bundle?: string }>(folder, name);
    if (bundle !== undefined) programs[name] = bundle;
  }
  return programs;
}

console.log(
  '**What a bundle grows by.** Bytes, minified by esbuild; axios and undici themselves are not counted.\n',
);
console.log(
  markdown(
    ['', 'brotli', 'gzip', 'minified'],
    [
      ['**Clients**'],
      ...(await rowsOf({
        '@ebb/fetch with core': FETCH,
        '@ebb/axios with core': AXIOS,
        '@ebb/undici with core': UNDICI,
        ...(await rivals('fetch')),
        ...(await rivals('axios')),
      })),
      ['**What ebb’s limits add to @ebb/fetch**'],
      await added('a bucket', FETCH + BUCKET, FETCH),
      await added('slots', FETCH + SLOTS, FETCH),
      await added('a budget', FETCH + BUDGET, FETCH),
      await added('all three', FETCH + BUCKET + SLOTS + BUDGET, FETCH),
      ['**Limiters**'],
      ...(await rowsOf({ 'tokenBucket of @ebb/core': BUCKET.slice(1), ...(await rivals('limiter')) })),
    ],
  ),
);
console.log('\nThe same on every machine.');
