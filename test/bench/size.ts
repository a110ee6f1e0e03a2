// The bytes that each client adds to a bundle, minified by esbuild and compressed by brotli. Run: pnpm bench size
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const programs: Readonly<Record<string, string>> = {
  '@ebb/fetch with core': `export { createFetch } from '@ebb/fetch'`,
  '@ebb/fetch with core and a token bucket': `export { createFetch } from '@ebb/fetch'; export { tokenBucket } from '@ebb/core'`,
  '@ebb/axios with core': `export { ebbInterceptor } from '@ebb/axios'`,
  '@ebb/undici with core': `export { ebbInterceptor } from '@ebb/undici'`,
};

for (const [name, contents] of Object.entries(programs)) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['@ebb/source'],
    external: ['axios', 'undici', 'node:*'],
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const sizes = {
    minified: code.length,
    gzip: gzipSync(code).length,
    brotli: brotliCompressSync(code).length,
  };
  console.log(
    `${name.padEnd(42)} ${Object.entries(sizes)
      .map(([kind, bytes]) => `${kind} ${bytes} B`)
      .join(' · ')}`,
  );
}
