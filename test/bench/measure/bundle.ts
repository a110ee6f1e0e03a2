import { builtinModules } from 'node:module';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** In bytes. */
export interface Size {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** The size of a program with all that it imports from a folder, as a browser would load it. */
export async function bundleSize(program: string, folder: string = import.meta.dirname): Promise<Size> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['browser', 'module', 'main'],
    target: 'es2022',
    conditions: ['@ebb/source', 'browser'],
    external: ['axios', 'undici', '@opentelemetry/api', 'node:*', ...builtinModules],
    logLevel: 'error',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  if (code.length === 0) throw new Error(`Nothing is left of ${program}`);
  return { minified: code.length, gzip: gzipSync(code).length, brotli: brotliCompressSync(code).length };
}
