// Compares what ebb costs with baseline.json: what it adds to one request, to a bundle and to the start of a program.
// Nothing that is compared is a time, so a busy machine does not matter. A figure that is lower than recorded fails as well: a later
// increase could hide below the old one. An update of Node, axios or undici can change the figures. Without valgrind, or on another
// processor architecture, the other figures are checked; on another major version of Node nothing is.
// To add a subject, add it to a file in subjects/ and write the baseline.
//   pnpm cost                        all subjects
//   pnpm cost undici bucket imports  those with one of these words in their names, or in those of their tables
//   pnpm cost --update               writes the baseline
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROGRAMS } from '../size/programs.ts';
import { brotliSizes } from '../size/size.ts';
import { bundle } from './bundle.ts';
import {
  type Costs,
  compare,
  type Figures,
  IMPORTS,
  type Kind,
  REQUESTS,
  SIZES,
  table,
  unmatched,
} from './compare.ts';
import { ADAPTERS, importOf } from './imports.ts';
import { costOf } from './measure.ts';
import type { Subjects } from './subjects/subject.ts';
import { hasValgrind } from './valgrind.ts';

const GROUPS = ['requests', 'sizes', 'imports'] as const;
type Group = (typeof GROUPS)[number];

interface Baseline extends Readonly<Record<Group, Costs>> {
  readonly node: string;
  readonly arch: string;
}

const KINDS: Readonly<Record<Group, Kind>> = { requests: REQUESTS, sizes: SIZES, imports: IMPORTS };

/** The client of each subject, by the subject's name. */
const clientOf = new Map<string, string>();
const CLIENTS = ['core', 'fetch', 'undici', 'axios'];
for (const client of CLIENTS) {
  const { subjects }: { subjects: Subjects } = await import(`./subjects/${client}.ts`);
  for (const name of Object.keys(subjects)) clientOf.set(name, client);
}

const ALL: Readonly<Record<Group, readonly string[]>> = {
  requests: [...clientOf.keys()],
  sizes: Object.keys(PROGRAMS),
  imports: ADAPTERS,
};

const file = join(import.meta.dirname, 'baseline.json');
const baseline: Baseline = JSON.parse(readFileSync(file, 'utf8'));
const { values, positionals } = parseArgs({
  options: { update: { type: 'boolean' } },
  allowPositionals: true,
});

const chosenOf = (group: Group): readonly string[] =>
  ALL[group].filter(
    (name) => positionals.length === 0 || positionals.some((word) => group === word || name.includes(word)),
  );
if (GROUPS.every((group) => chosenOf(group).length === 0)) {
  throw new Error(`No subject is named like ${positionals.join(' or ')}.`);
}

type Measure = (name: string, countsInstructions: boolean) => Promise<Figures>;

async function measureAll(group: Group, measure: Measure, countsInstructions: boolean): Promise<Costs> {
  const names = chosenOf(group);
  const costs = new Map<string, Figures>();
  // From the end: the subjects of axios take longest.
  const left = [...names];
  const measureNext = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      costs.set(name, await measure(name, countsInstructions));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, measureNext));
  return Object.fromEntries(names.map((name) => [name, costs.get(name) ?? {}]));
}

/** Prints each table when it is measured. */
async function measured(countsInstructions: boolean): Promise<Record<Group, Costs>> {
  const folder = mkdtempSync(join(tmpdir(), 'ebb-cost-'));
  const programOf = (client: string): string => join(folder, `${client}.cjs`);
  const measures: Readonly<Record<Group, Measure>> = {
    requests: (name, counts) => costOf(programOf(clientOf.get(name) ?? ''), name, counts),
    sizes: (name) => brotliSizes(PROGRAMS[name] ?? ''),
    imports: importOf,
  };
  const costs: Record<Group, Costs> = { requests: {}, sizes: {}, imports: {} };
  try {
    await Promise.all(CLIENTS.map((client) => bundle(client, programOf(client))));
    for (const group of GROUPS) {
      costs[group] = await measureAll(group, measures[group], countsInstructions);
      if (chosenOf(group).length > 0) console.log(`${table(KINDS[group], baseline[group], costs[group])}\n`);
    }
    return costs;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function update(): Promise<void> {
  if (!hasValgrind) throw new Error('The baseline needs instruction counts: install valgrind.');
  const now = await measured(true);
  const merged = GROUPS.map((group) => {
    const rows = ALL[group].map((name) => [name, now[group][name] ?? baseline[group][name]]);
    return [group, Object.fromEntries(rows)];
  });
  const { version, arch } = process;
  const next = { node: version, arch, ...Object.fromEntries(merged) };
  writeFileSync(file, `${JSON.stringify(next, undefined, 2)}\n`);
}

async function check(): Promise<boolean> {
  const isSameArch = process.arch === baseline.arch;
  const now = await measured(hasValgrind && isSameArch);
  if (!isSameArch) console.log(`Instructions are not checked: the baseline is for ${baseline.arch}.`);
  else if (!hasValgrind) console.log('Instructions are not checked: valgrind is not installed.');
  if (process.version !== baseline.node) console.log(`The baseline is for Node ${baseline.node}.`);

  const problems = GROUPS.flatMap((group) => [
    ...unmatched(baseline[group], ALL[group]).map(
      (name) => `${name}: only in the subjects, or only in the baseline.`,
    ),
    ...compare(KINDS[group], baseline[group], now[group]),
  ]);
  for (const problem of problems) console.log(problem);
  const isRight = problems.length === 0;
  console.log(
    isRight
      ? 'ebb costs what the baseline says.'
      : 'ebb no longer costs what the baseline says. If that is intended, or an improvement: pnpm cost --update',
  );
  return isRight;
}

const major = (version: string): string => version.split('.')[0] ?? '';
if (values.update) await update();
else if (major(process.version) !== major(baseline.node)) {
  console.log(
    `Nothing is checked: the baseline is for Node ${baseline.node}, and this is ${process.version}.`,
  );
} else process.exitCode = (await check()) ? 0 : 1;
