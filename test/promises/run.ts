// Breaks each promise of the list in the source, one at a time, and runs the tests that must notice:
//   pnpm check promises             all of them
//   pnpm check promises --row 12    one, or a few: --row 12-15
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { PROMISES } from './list.ts';
import { mutant } from './mutant.ts';
import type { Promised } from './promise.ts';

/** Runs the tests as the sources are now, and returns the names of those that fail. A run ends with the first. */
async function failing(vitest: Vitest, tests: readonly string[]): Promise<string[]> {
  vitest.state.filesMap.clear();
  vitest.state.errorsSet.clear();
  const { testModules, unhandledErrors } = await vitest.start([...tests]);
  if (testModules.length === 0) throw new Error(`vitest finds none of ${tests.join(', ')}`);
  const broken = testModules.flatMap((module) => module.errors())[0];
  if (broken !== undefined) throw new Error(`a test does not load: ${broken.message}`);
  const failed = testModules.flatMap((module) => [...module.children.allTests('failed')]);
  return [...failed.map(({ fullName }) => fullName), ...unhandledErrors.map(() => 'an unhandled error')];
}

function forget(vitest: Vitest, file: string): void {
  for (const { vite } of vitest.projects) {
    for (const { moduleGraph } of Object.values(vite.environments)) {
      for (const module of moduleGraph.getModulesByFile(resolve(file)) ?? [])
        moduleGraph.invalidateModule(module);
    }
  }
}

/** Undefined if the tests notice, or else what is wrong. */
async function play(vitest: Vitest, row: Promised): Promise<string | undefined> {
  Object.assign(mutant, { row, isLoaded: false });
  forget(vitest, row.file);
  const failed = await failing(vitest, row.tests);
  mutant.row = undefined;
  forget(vitest, row.file);
  if (!mutant.isLoaded) return 'is not loaded';
  return failed.length === 0 ? 'survives' : undefined;
}

const { values } = parseArgs({ options: { row: { type: 'string' } } });
const [first = 1, last = values.row === undefined ? PROMISES.length : first] =
  values.row?.split('-').map(Number) ?? [];
const chosen = PROMISES.map((row, at) => ({ row, number: at + 1 })).slice(first - 1, last);
if (chosen.length === 0) throw new Error(`--row is a number from 1 to ${PROMISES.length}`);

const vitest = await createVitest('test', {
  config: 'test/promises/vitest.config.ts',
  watch: false,
  bail: 1,
  reporters: [{}],
});
const startedAt = performance.now();
let wrong = 0;
// Without a mutant all must pass, or it proves nothing that they fail with one.
const before = await failing(vitest, [...new Set(chosen.flatMap(({ row }) => row.tests))]);
if (before.length > 0) throw new Error(`without a mutant fails: ${before.join('; ')}`);
for (const { row, number } of chosen) {
  const why = await play(vitest, row);
  console.log(
    `${number}: ${row.says}${why === undefined ? '' : `\n   ${row.file}: ${row.from} → ${row.to} ${why}`}`,
  );
  if (why !== undefined) wrong += 1;
}
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
console.log(`${chosen.length - wrong} of ${chosen.length} mutants are noticed, in ${seconds} s`);
await vitest.close();
process.exit(wrong === 0 ? 0 : 1);
