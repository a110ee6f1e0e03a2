import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundled, type Origin, PLATFORMS, type Platform } from './bundle.ts';

/** In bytes. */
export interface Size {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** Where the programs of a size import from: the packages of the workspace, or those installed in a folder. */
export interface From {
  /** @default the folder of the tests, which see all packages and all rivals */
  readonly folder?: string;
  /** @default 'source' */
  readonly origin?: Origin;
}

const TESTS = join(import.meta.dirname, '..');

/** The size of a program with all that it imports, as a browser would load it or a server would deploy it. */
export async function sizeOf(program: string, platform: Platform, from: From = {}): Promise<Size> {
  const { folder = TESTS, origin = 'source' } = from;
  const { code } = await bundled(program, folder, platform, origin);
  return { minified: code.length, gzip: gzipSync(code).length, brotli: brotliCompressSync(code).length };
}

/** The bytes of a program for both platforms, compressed by brotli. */
export async function brotliSizes(program: string, from: From = {}): Promise<Record<Platform, number>> {
  const sizes = PLATFORMS.map(async (platform) => {
    return [platform, (await sizeOf(program, platform, from)).brotli] as const;
  });
  return Object.fromEntries(await Promise.all(sizes)) as Record<Platform, number>;
}

/** Where the minified bytes of a program come from, by folder of its sources; the largest first. */
export async function bytesByFolder(program: string, platform: Platform): Promise<[string, number][]> {
  const { bytesOf } = await bundled(program, TESTS, platform, 'source');
  const sums = new Map<string, number>();
  for (const [file, bytes] of Object.entries(bytesOf)) {
    const [, name, folder] = /packages\/(\w+)\/src\/(?:(.*)\/)?[^/]*$/.exec(file) ?? [];
    if (name === undefined || bytes === 0) continue;
    const of = folder === undefined ? name : `${name}/${folder}`;
    sums.set(of, (sums.get(of) ?? 0) + bytes);
  }
  return [...sums].sort(([, one], [, other]) => other - one);
}
