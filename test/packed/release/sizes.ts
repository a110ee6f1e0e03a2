import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleSize } from '../../bench/measure/bundle.ts';
import type { Packed } from './packed.ts';
import type { Result } from './result.ts';

const FILE = join(import.meta.dirname, 'sizes.json');

/** The share by which a size may grow before it has to be recorded again. */
const TOLERANCE = 0.03;

/** In bytes. */
interface Sizes {
  /** What npm downloads. */
  readonly tarball: number;
  /** Everything that the first entry exports, minified and compressed by brotli, without peer dependencies. */
  readonly bundle: number;
}

/** By package. */
export type RecordedSizes = Readonly<Record<string, Sizes>>;

export const recordedSizes = (): RecordedSizes => JSON.parse(readFileSync(FILE, 'utf8'));

const bytes = (size: number): string => size.toLocaleString('en');

function grown(what: string, recorded: number | undefined, size: number): string[] {
  const update = '`npx -y pnpm@12 release --dry-run --update size` records it';
  if (recorded === undefined) return [`no size of the ${what} is recorded: ${update}`];
  if (size <= recorded * (1 + TOLERANCE)) return [];
  const change = `${bytes(recorded)} → ${bytes(size)} bytes, more than ${TOLERANCE * 100} %`;
  return [`the ${what} grew from ${change}; if it has to, ${update}`];
}

/** Compares the sizes of packages that are installed in a folder with the recorded ones. */
export async function checkSizes(
  packed: readonly Packed[],
  folder: string,
  recorded: RecordedSizes,
): Promise<Result[]> {
  return Promise.all(
    packed.map(async ({ bytes: tarball, manifest: { name } }) => {
      const { brotli } = await bundleSize(`export * from '${name}'`, folder);
      return {
        check: 'size',
        subject: name,
        figure: `tarball ${bytes(tarball)}, bundle ${bytes(brotli)} bytes`,
        problems: [
          ...grown('tarball', recorded[name]?.tarball, tarball),
          ...grown('bundle', recorded[name]?.bundle, brotli),
        ],
      };
    }),
  );
}

/** Writes the sizes of packages that are installed in a folder. */
export async function recordSizes(packed: readonly Packed[], folder: string): Promise<void> {
  const sizes: Record<string, Sizes> = {};
  for (const { bytes: tarball, manifest } of packed) {
    const { brotli } = await bundleSize(`export * from '${manifest.name}'`, folder);
    sizes[manifest.name] = { tarball, bundle: brotli };
  }
  writeFileSync(FILE, `${JSON.stringify(sizes, undefined, 2)}\n`);
}
