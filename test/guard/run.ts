// Compares what ebb adds to one request with baseline.json. It measures no time, so a busy machine does not matter.
//   pnpm cost                 all subjects
//   pnpm cost undici bucket   those with one of these words in their names
//   pnpm cost --update        writes the baseline
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.ts';
import { type Cost, type Costs, compare, table, unmatched } from './compare.ts';
import { costOf, hasValgrind } from './measure.ts';
import type { Subjects } from './subjects/subject.ts';

interface Baseline {
  readonly node: string;
  readonly arch: string;
  readonly added: Costs;
}

const CLIENTS = ['core', 'fetch', 'undici', 'axios'];
const file = join(import.meta.dirname, 'baseline.json');

const { values, positionals } = parseArgs({
  options: { update: { type: 'boolean' } },
  allowPositionals: true,
});
const baseline: Baseline = JSON.parse(readFileSync(file, 'utf8'));

/** The client of each subject, by the subject's name. */
const clientOf = new Map<string, string>();
for (const client of CLIENTS) {
  const { subjects }: { subjects: Subjects } = await import(`./subjects/${client}.ts`);
  for (const name of Object.keys(subjects)) clientOf.set(name, client);
}
const all = [...clientOf.keys()];
const chosen = all.filter(
  (name) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
);
if (chosen.length === 0) throw new Error(`No subject is named like ${positionals.join(' or ')}.`);

async function measureAll(names: readonly string[], countsInstructions: boolean): Promise<Costs> {
  const folder = mkdtempSync(join(tmpdir(), 'ebb-cost-'));
  try {
    const programOf = (client: string): string => join(folder, `${client}.cjs`);
    await Promise.all(CLIENTS.map((client) => bundle(client, programOf(client))));
    const costs = new Map<string, Cost>();
    // From the end: the subjects of axios take longest.
    const left = [...names];
    const measureNext = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        costs.set(name, await costOf(programOf(clientOf.get(name) ?? ''), name, countsInstructions));
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, measureNext));
    return Object.fromEntries(names.map((name) => [name, costs.get(name) as Cost]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function update(): Promise<void> {
  if (!hasValgrind) throw new Error('The baseline needs instruction counts: install valgrind.');
  const measured = await measureAll(chosen, true);
  const added = Object.fromEntries(all.map((name) => [name, measured[name] ?? baseline.added[name]]));
  const { version, arch } = process;
  writeFileSync(file, `${JSON.stringify({ node: version, arch, added }, undefined, 2)}\n`);
  console.log(table(baseline.added, measured));
}

async function check(): Promise<boolean> {
  const isSameArch = process.arch === baseline.arch;
  const measured = await measureAll(chosen, hasValgrind && isSameArch);
  console.log(table(baseline.added, measured));
  console.log('');
  if (!isSameArch) console.log(`Instructions are not checked: the baseline is for ${baseline.arch}.`);
  else if (!hasValgrind) console.log('Instructions are not checked: valgrind is not installed.');
  if (process.version !== baseline.node) console.log(`The baseline is for Node ${baseline.node}.`);

  const found = compare(baseline.added, measured);
  const strangers = unmatched(baseline.added, all);
  for (const name of strangers) console.log(`${name}: only in the subjects, or only in the baseline.`);
  for (const difference of found) console.log(difference);
  const isRight = strangers.length === 0 && found.length === 0;
  console.log(
    isRight
      ? 'One request costs what the baseline says.'
      : 'One request no longer costs what the baseline says. If that is intended, or an improvement: pnpm cost --update',
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
