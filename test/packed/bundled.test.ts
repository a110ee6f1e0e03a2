// What is published is a few bundles: their number, their size, how they load, and what is left of them in a user's bundle.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { packages } from '../build/packages.ts';
import { packedAt } from './release/packed.ts';

const folder = inject('folder');
const packed = Object.values(inject('tarballs')).map(packedAt);

describe.each(packages())('$manifest.name', (one) => {
  const { name } = one.manifest;
  const tarball = packed.find(({ manifest }) => manifest.name === name);

  test('leads to no source, and every `#name` to what is built', () => {
    const names = Object.keys(tarball?.manifest.imports ?? {});
    for (const file of tarball?.files ?? []) {
      const text = tarball?.text(file) ?? '';
      if (file !== 'README.md') expect(text.includes('@ebb/source'), file).toBe(false);
      const used = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*["'`](#[^"'`]+)/g)];
      const known = /\.js$/.test(file) && !/^dist\/(cjs|node)\//.test(file) ? names : [];
      expect(known, file).toEqual(expect.arrayContaining(used.map(([, from]) => from)));
    }
    expect(tarball?.files).toContain('dist/types/index.d.ts');
  });

  test('CommonJS has the lines of the ES module', () => {
    const files = tarball?.files.filter((file) => /^dist\/cjs\/.*\.js$/.test(file)) ?? [];
    expect(files).not.toEqual([]);
    for (const file of files) {
      const [, ...lines] = tarball?.text(file.replace('/cjs/', '/node/')).split('\n') ?? [];
      const [, ...converted] = tarball?.text(file).split('\n') ?? [];
      const moved = lines.filter((line, at) => !/^(import|export) /.test(line) && line !== converted[at]);
      expect(moved.filter((line) => line !== '')).toEqual([]);
    }
  });

  test.each(one.doors)('the conditions of a bundler choose what $name has of a platform', async (door) => {
    const specifier = door.name === 'index' ? name : `${name}/${door.name}`;
    for (const [conditions, unwanted] of [
      [['node'], /\bweb|layers-web|no-dev-text|console|no-channels/],
      [['workerd', 'worker', 'browser'], /\bweb|layers-web|no-dev-text|console|no-channels|no-worker/],
      [['bun'], /\bweb|layers-web|no-dev-text/],
      [['deno', 'production'], /\bweb|layers-web|\/dev-text/],
      [['browser'], /node\.js|layers\/layers\.js|no-dev-text|channels|\/worker/],
      [['browser', 'production'], /node\.js|layers\/layers\.js|\/dev-text|\/channels|console/],
    ] as const) {
      const { metafile } = await bundled(`import '${specifier}'`, conditions);
      const inputs = Object.keys(metafile.inputs).map((path) => path.replace(/^.*\/@ebb\//, ''));
      expect(inputs.filter((path) => unwanted.test(path))).toEqual([]);
      const isNode = (conditions as readonly string[]).includes('node');
      expect(inputs).toContain(`${name.slice(5)}/dist/${isNode ? 'node/' : ''}${door.name}.js`);
    }
  });
});

test('core has at most 90 files, and stays below 300 kB; its declarations stand once, with docstrings', () => {
  const core = packed.find(({ manifest }) => manifest.name === '@ebb/core');
  const declared = core?.files.filter((file) => file.endsWith('.d.cts')).map((file) => core.text(file));
  expect(declared?.join('')).toContain('@default');
  expect(declared?.join('').split('interface PolicyOptions ')).toHaveLength(2);
  expect(core?.files.length).toBeLessThanOrEqual(90);
  // `release/sizes.json` has the size of today.
  expect(core?.bytes).toBeLessThanOrEqual(300_000);
});

async function bundled(
  contents: string,
  conditions: readonly string[],
  resolveDir: string = folder,
): Promise<{ readonly bytes: number; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['node:*', 'axios', 'undici', '@opentelemetry/api', '@ast-grep/napi'],
    conditions: [...conditions],
    logLevel: 'error',
    // Nothing of a module is used, so that an import of it alone is dropped.
    ignoreAnnotations: /^import '/.test(contents),
  });
  return { bytes: outputFiles[0]?.contents.length ?? 0, metafile };
}

describe('a bundle of a program is as small as one of the sources', () => {
  const programs = {
    'a plain fetch': `export { createFetch } from '@ebb/fetch'`,
    'a fetch with a bucket': `export { createFetch } from '@ebb/fetch'; export { tokenBucket } from '@ebb/core'`,
    axios: `export { ebbInterceptor } from '@ebb/axios'`,
    undici: `export { ebbInterceptor } from '@ebb/undici'`,
    'one backoff rule': `export { exponential } from '@ebb/core'`,
    'one preset': `export { openai } from '@ebb/providers'`,
    valkey: `export * from '@ebb/valkey'`,
  };
  test.each(Object.entries(programs))('%s', async (_, contents) => {
    const conditions = ['browser', 'production'];
    const ours = await bundled(contents, ['@ebb/source', ...conditions], import.meta.dirname);
    const theirs = await bundled(contents, conditions);
    expect(theirs.bytes).toBeLessThanOrEqual(ours.bytes * 1.03);
    expect(theirs.bytes).toBeGreaterThan(ours.bytes / 10);
  });
});

describe('an import loads few files', () => {
  /** Prints how many files of ebb an import loads. */
  const program = (name: string): string => `
    import { registerHooks } from 'node:module';
    let files = 0;
    registerHooks({
      load(url, context, next) {
        if (url.includes('/@ebb/')) files += 1;
        return next(url, context);
      },
    });
    await import('${name}');
    console.log(files);`;

  test.concurrent.each(['fetch', 'axios', 'undici'])('@ebb/%s', async (name) => {
    const args = ['--input-type=module', '--eval', program(`@ebb/${name}`)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    // The entry, the two doors of core that it imports, what those share, and what Node has of its own.
    expect(Number(stdout)).toBeGreaterThanOrEqual(4);
    expect(Number(stdout)).toBeLessThanOrEqual(18);
  });
});
