// Compares what ebb costs with baseline.json: what it adds to one request, to a bundle and to the start of a program, and what it takes to
// read. `test` compares the quick ones of these tables as well: ratchet.test.ts.
// Nothing that is compared is a time, so a busy machine does not matter. A figure that is lower than recorded fails as well: a later
// increase could hide below the old one. An update of Node, axios or undici can change the figures. Without valgrind, or on another
// processor architecture, the other figures are checked; on another major version of Node nothing is.
// To add a subject, add it to a file in subjects/ and write the baseline.
//   pnpm cost                        all subjects
//   pnpm cost undici bucket imports  those with one of these words in their names, or in those of their tables
//   pnpm cost --update               writes the baseline; with words, the chosen subjects alone
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BASELINE_FILE, baseline, GROUPS, type Group, isOtherNode, KINDS } from './baseline.ts';
import { bundle } from './bundle.ts';
import { type Costs, compare, type Figures, table, unmatched } from './compare.ts';
import { ADAPTERS, importOf } from './imports.ts';
import { codeLines } from './lines.ts';
import { costOf } from './measure.ts';
import { QUICK } from './quick.ts';
import type { Subjects } from './subjects/subject.ts';
import { hasValgrind } from './valgrind.ts';

/** The client of each subject, by the subject's name. */
const clientOf = new Map<string, string>();
const CLIENTS = ['core', 'fetch', 'undici', 'axios'];
for (const client of CLIENTS) {
  const { subjects }: { subjects: Subjects } = await import(`./subjects/${client}.ts`);
  for (const name of Object.keys(subjects)) clientOf.set(name, client);
}

const namesOf = (group: Group): readonly string[] => {
  if (group === 'requests') return [...clientOf.keys()];
  return group === 'imports' ? ADAPTERS : (QUICK[group]?.names ?? []);
};

const { values, positionals } = parseArgs({
  options: { update: { type: 'boolean' } },
  allowPositionals: true,
});

const chosenOf = (group: Group): readonly string[] =>
  namesOf(group).filter(
    (name) => positionals.length === 0 || positionals.some((word) => group === word || name.includes(word)),
  );
if (GROUPS.every((group) => chosenOf(group).length === 0)) {
  throw new Error(`No subject is named like ${positionals.join(' or ')}.`);
}

/** Measures one subject after the other on each processor. */
async function measureEach(
  names: readonly string[],
  measure: (name: string) => Promise<Figures>,
): Promise<Costs> {
  const costs = new Map<string, Figures>();
  // From the end: the subjects of axios take longest.
  const left = [...names];
  const measureNext = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) costs.set(name, await measure(name));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, measureNext));
  return Object.fromEntries(names.map((name) => [name, costs.get(name) ?? {}]));
}

async function measureRequests(names: readonly string[], counts: boolean): Promise<Costs> {
  const folder = mkdtempSync(join(tmpdir(), 'ebb-cost-'));
  const programOf = (client = ''): string => join(folder, `${client}.cjs`);
  try {
    await Promise.all(CLIENTS.map((client) => bundle(client, programOf(client))));
    return await measureEach(names, (name) => costOf(programOf(clientOf.get(name)), name, counts));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureGroup(group: Group, counts: boolean): Promise<Costs> {
  const names = chosenOf(group);
  if (names.length === 0) return {};
  if (group === 'requests') return measureRequests(names, counts);
  if (group === 'imports') return measureEach(names, (name) => importOf(name, counts));
  const costs = await QUICK[group]?.measure();
  return Object.fromEntries(names.map((name) => [name, costs?.[name] ?? {}]));
}

/** Prints each table when it is measured. */
async function measured(countsInstructions: boolean): Promise<Record<Group, Costs>> {
  const costs = {} as Record<Group, Costs>;
  for (const group of GROUPS) {
    costs[group] = await measureGroup(group, countsInstructions);
    const { [group]: recorded, goals } = baseline;
    if (chosenOf(group).length > 0)
      console.log(`${table(KINDS[group], recorded, costs[group], goals[group])}\n`);
  }
  return costs;
}

async function update(): Promise<void> {
  const needsCounts = chosenOf('requests').length + chosenOf('imports').length > 0;
  if (needsCounts && !hasValgrind)
    throw new Error('The baseline needs instruction counts: install valgrind.');
  const now = await measured(needsCounts);
  const merged = GROUPS.map((group) => {
    const rows = namesOf(group).map((name) => [name, now[group][name] ?? baseline[group][name]]);
    return [group, Object.fromEntries(rows)];
  });
  // What is not measured again stays a figure of the Node that has measured it.
  const { node, arch } = needsCounts ? { node: process.version, arch: process.arch } : baseline;
  const next = { node, arch, goals: baseline.goals, ...Object.fromEntries(merged) };
  writeFileSync(BASELINE_FILE, `${JSON.stringify(next, undefined, 2)}\n`);
}

async function check(): Promise<boolean> {
  const isSameArch = process.arch === baseline.arch;
  const now = await measured(hasValgrind && isSameArch);
  const { files, lines } = codeLines();
  console.log(`Core and clients: ${lines} lines of code in ${files} files. They are not compared.`);
  if (!isSameArch) console.log(`Instructions are not checked: the baseline is for ${baseline.arch}.`);
  else if (!hasValgrind) console.log('Instructions are not checked: valgrind is not installed.');
  if (process.version !== baseline.node) console.log(`The baseline is for Node ${baseline.node}.`);

  const problems = GROUPS.flatMap((group) => [
    ...unmatched(baseline[group], namesOf(group)).map(
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

if (values.update) await update();
else if (isOtherNode) {
  console.log(
    `Nothing is checked: the baseline is for Node ${baseline.node}, and this is ${process.version}.`,
  );
} else process.exitCode = (await check()) ? 0 : 1;
