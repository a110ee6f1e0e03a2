import { globSync, readFileSync } from 'node:fs';

const root = new URL('../..', import.meta.url);
const sources = globSync('packages/core/src/**/*.ts', {
  cwd: root,
  exclude: ['**/*.test.ts', '**/*.test-d.ts', 'packages/core/src/index.ts'],
}).sort();

// All of core takes hours. The second of six parts that can run side by side is `2/6`: every sixth file, from the second on.
const [part, parts] = (process.env.EBB_MUTANTS_PART ?? '1/1').split('/').map(Number);

/** A sample: every so many lines of all files, as if they were one. */
const every = Number(process.env.EBB_MUTANTS_EVERY ?? 0);

function sampled() {
  let line = Math.ceil(every / 2);
  return sources.flatMap((path) => {
    const { length } = readFileSync(new URL(path, root), 'utf8').split('\n');
    const chosen = [];
    for (; line <= length; line += every) chosen.push(`${path}:${line}-${line}`);
    line -= length;
    return chosen;
  });
}

/**
 * Mutation tests of core: `pnpm check mutants`, or `pnpm check mutants --mutate packages/core/src/base/heap.ts` for one file.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: every > 0 ? sampled() : sources.filter((_, at) => at % parts === part - 1),
  // pnpm does not install it beside Stryker, where Stryker looks for plugins.
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutants/stryker.vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // Code that runs while a file is loaded belongs to no test, so each of its mutants would run all tests.
  ignoreStatic: true,
  concurrency: Number(process.env.EBB_MUTANTS_AT_ONCE ?? 2),
  // Not below node_modules: a test starts a program in TypeScript, and Node strips no types there.
  tempDirName: '.stryker',
  ignorePatterns: [
    'dist',
    'packages/*/.types',
    '*.tsbuildinfo',
    'docs',
    'examples',
    'packages/*/figures',
    'packages/*/data',
  ],
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: 'node_modules/.stryker-report.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  // A mutant may loop forever. The tests of core take milliseconds each.
  timeoutMS: 10_000,
  timeoutFactor: 1.5,
  // What web pages, axios, undici and fleets alone reach counts as not killed here. Most others that are left cannot be observed:
  // a guard that only the types need, a shortcut.
  thresholds: { high: 90, low: 70, break: 70 },
};
