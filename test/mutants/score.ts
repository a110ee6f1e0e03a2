import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The part of Stryker's report that is counted. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** How many mutants of a file ended in which way. */
export type Counts = Readonly<Record<string, number>>;

/** What one part of a package came to. */
export interface Score {
  /** The name of its folder. */
  readonly name: string;
  readonly part: string;
  readonly files: Readonly<Record<string, Counts>>;
}

const FOLDER = 'test/mutants/scores';

export function scoreOf(name: string, part: string, { files }: Report): Score {
  const counts = Object.entries(files).map(([path, { mutants }]) => {
    const of: Record<string, number> = {};
    for (const { status } of mutants) of[status] = (of[status] ?? 0) + 1;
    return [path, of] as const;
  });
  return { name, part, files: Object.fromEntries(counts) };
}

/** In percent, of the mutants that can be run: those that a test noticed. NaN if there are none. */
export function percentOf({ Killed = 0, Timeout = 0, Survived = 0, NoCoverage = 0 }: Counts): number {
  return (100 * (Killed + Timeout)) / (Killed + Timeout + Survived + NoCoverage);
}

/** One score of many parts of a package, and which of as many parts as they speak of are missing. */
export function sum(scores: readonly Score[]): {
  files: Readonly<Record<string, Counts>>;
  total: Counts;
  missing: string[];
} {
  const files: Record<string, Counts> = Object.assign({}, ...scores.map((score) => score.files));
  const total: Record<string, number> = {};
  for (const counts of Object.values(files)) {
    for (const [status, count] of Object.entries(counts)) total[status] = (total[status] ?? 0) + count;
  }
  const [, parts = 0] = scores[0]?.part.split('/').map(Number) ?? [];
  const all = Array.from({ length: parts }, (_, at) => `${at + 1}/${parts}`);
  return { files, total, missing: all.filter((part) => scores.every((score) => score.part !== part)) };
}

export function write(score: Score): void {
  mkdirSync(FOLDER, { recursive: true });
  const path = `${FOLDER}/${score.name}-${score.part.replace('/', '-of-')}.json`;
  writeFileSync(path, `${JSON.stringify(score, null, 1)}\n`);
}

/** The parts of a package that have been run. */
export function readAll(name: string): Score[] {
  return globSync(`${FOLDER}/${name}-*.json`).map((path) => JSON.parse(readFileSync(path, 'utf8')) as Score);
}
