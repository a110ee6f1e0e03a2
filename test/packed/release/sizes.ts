import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORMS, type Platform } from '../../size/bundle.ts';
import { PROGRAMS } from '../../size/programs.ts';
import { brotliSizes } from '../../size/size.ts';
import type { Packed } from './packed.ts';
import type { Result } from './result.ts';

const FILE = join(import.meta.dirname, 'sizes.json');

/** The share by which a size may grow before it has to be recorded again. */
const TOLERANCE = 0.03;

/** In bytes, by what is measured. */
type Sizes = Readonly<Record<string, number>>;

/** In bytes: the tarball that npm downloads, and bundles by platform, compressed by brotli, without peer dependencies. */
export interface RecordedSizes {
  /** By package: `tarball`, and the bundles of everything that the first entry with code exports. */
  readonly packages: Readonly<Record<string, Sizes>>;
  /** By program. */
  readonly programs: Readonly<Record<string, Sizes>>;
}

export const recordedSizes = (): RecordedSizes => JSON.parse(readFileSync(FILE, 'utf8'));

const bytes = (size: number): string => size.toLocaleString('en');

const TITLES: Readonly<Record<Platform, string>> = { web: 'web bundle', node: 'Node bundle' };

function grown(what: string, recorded: number | undefined, size: number): string[] {
  const update = '`npx -y pnpm@12 release --dry-run --update size` records it';
  if (recorded === undefined) return [`no size of the ${what} is recorded: ${update}`];
  if (size <= recorded * (1 + TOLERANCE)) return [];
  const change = `${bytes(recorded)} → ${bytes(size)} bytes, more than ${TOLERANCE * 100} %`;
  return [`the ${what} grew from ${change}; if it has to, ${update}`];
}

async function bundlesOf(program: string, folder: string): Promise<Sizes> {
  const sizes = await brotliSizes(program, { folder, origin: 'built' });
  return Object.fromEntries(PLATFORMS.map((platform) => [TITLES[platform], sizes[platform]]));
}

/** The first entry with code: some main entries have types alone. */
function entryOf({ manifest: { name, exports }, text }: Packed): string {
  const doors = Object.keys(exports as object).filter((door) => !door.endsWith('.json'));
  const fileOf = (door: string): string => `dist/${door === '.' ? 'index' : door.slice(2)}.js`;
  return name + (doors.find((door) => /^export /m.test(text(fileOf(door)))) ?? '.').slice(1);
}

async function sizesOf(one: Packed, folder: string): Promise<Sizes> {
  return { tarball: one.bytes, ...(await bundlesOf(`export * from '${entryOf(one)}'`, folder)) };
}

function resultOf(subject: string, sizes: Sizes, recorded: Sizes | undefined): Result {
  const figures = Object.entries(sizes);
  return {
    check: 'size',
    subject,
    figure: `${figures.map(([what, size]) => `${what} ${bytes(size)}`).join(', ')} bytes`,
    problems: figures.flatMap(([what, size]) => grown(what, recorded?.[what], size)),
  };
}

/** Compares the sizes of packages that are installed in a folder with the recorded ones. */
export async function checkSizes(
  packed: readonly Packed[],
  folder: string,
  recorded: RecordedSizes,
): Promise<Result[]> {
  return Promise.all(
    packed.map(async (one) => {
      const { name } = one.manifest;
      return resultOf(name, await sizesOf(one, folder), recorded.packages[name]);
    }),
  );
}

/** Compares the sizes of the programs of users, bundled from the packages of a folder, with the recorded ones. */
export async function checkProgramSizes(folder: string, recorded: RecordedSizes): Promise<Result[]> {
  return Promise.all(
    Object.entries(PROGRAMS).map(async ([name, program]) => {
      return resultOf(`program: ${name}`, await bundlesOf(program, folder), recorded.programs[name]);
    }),
  );
}

/** Writes the sizes of packages that are installed in a folder, and of the programs. */
export async function recordSizes(packed: readonly Packed[], folder: string): Promise<void> {
  const packages: Record<string, Sizes> = {};
  for (const one of packed) packages[one.manifest.name] = await sizesOf(one, folder);
  const programs: Record<string, Sizes> = {};
  for (const [name, program] of Object.entries(PROGRAMS)) programs[name] = await bundlesOf(program, folder);
  const sizes: RecordedSizes = { packages, programs };
  writeFileSync(FILE, `${JSON.stringify(sizes, undefined, 2)}\n`);
}
