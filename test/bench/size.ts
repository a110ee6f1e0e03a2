// The bytes that ebb and other libraries add to a bundle, minified by esbuild and compressed by brotli.
// Run: pnpm bench size
import { FEATURES, PROGRAMS } from '../size/programs.ts';
import { brotliSizes, bytesByFolder, sizeOf } from '../size/size.ts';
import { markdown, number } from './measure/markdown.ts';
import { rival, rivalsIn } from './rivals/folder.ts';

interface Measured {
  readonly name: string;
  readonly web: number;
  readonly cells: readonly string[];
}

async function measured([name, program]: readonly [string, string]): Promise<Measured> {
  const [web, node] = await Promise.all([sizeOf(program, 'web'), sizeOf(program, 'node')]);
  const bytes = [web.brotli, node.brotli, web.gzip, web.minified];
  return { name, web: web.brotli, cells: bytes.map((size) => number(size)) };
}

/** The smallest first. */
async function rowsOf(programs: Readonly<Record<string, string>>): Promise<string[][]> {
  const rows = await Promise.all(Object.entries(programs).map(measured));
  return rows.sort((one, other) => one.web - other.web).map(({ name, cells }) => [name, ...cells]);
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
  '**What a bundle grows by.** Bytes, minified by esbuild; axios and undici themselves are not counted. Web: with the ' +
    'conditions `browser` and `production`. Node: as esbuild bundles for Node.\n',
);
console.log(
  markdown(
    ['', 'web, brotli', 'Node, brotli', 'web, gzip', 'web, minified'],
    [
      ['**Clients, each with core**'],
      ...(await rowsOf({ ...PROGRAMS, ...(await rivals('fetch')), ...(await rivals('axios')) })),
      ['**Limiters**'],
      ...(await rowsOf({
        'tokenBucket of @ebb/core': `export { tokenBucket } from '@ebb/core'`,
        'tokenBucket and fairQueue': `export { fairQueue, tokenBucket } from '@ebb/core'`,
        'tokenBucket and quotaBucket': `export { quotaBucket, tokenBucket } from '@ebb/core'`,
        'tokenBucket and bodyEnds': `export { bodyEnds, tokenBucket } from '@ebb/core'`,
        ...(await rivals('limiter')),
      })),
    ],
  ),
);
/** What each feature adds, the smallest first. */
async function featureRows(): Promise<string[][]> {
  const added = Object.entries(FEATURES).map(async ([name, programs]) => {
    const [sizes, before] = await Promise.all(programs.map((program) => brotliSizes(program)));
    if (!sizes || !before) throw new Error(`${name} has two programs`);
    return { name, web: sizes.web - before.web, node: sizes.node - before.node };
  });
  const rows = (await Promise.all(added)).sort((one, other) => one.web - other.web);
  return rows.map(({ name, web, node }) => [name, number(web), number(node)]);
}

console.log('\n**What a feature adds to its client**, fetch unless it is of axios. Bytes, brotli.\n');
console.log(markdown(['', 'web', 'Node'], await featureRows()));
console.log('\n**Where the bytes of `createFetch` come from.** Web, minified, by folder of the sources.\n');
const folders = await bytesByFolder(PROGRAMS['@ebb/fetch'] ?? '', 'web');
console.log(
  markdown(
    ['', 'bytes'],
    folders.map(([folder, bytes]) => [folder, number(bytes)]),
  ),
);
console.log('\nThe same on every machine.');
