import { globSync, statSync } from 'node:fs';
import { judgedBy } from './judged.ts';
import { filesOfPart } from './part.ts';

const root = new URL('../..', import.meta.url);
const name = process.env.EBB_MUTANTS_OF ?? 'core';
const sources = globSync(`packages/${name}/src/**/*.ts`, {
  cwd: root,
  exclude: ['**/*.test.ts', '**/*.test-d.ts', ...judgedBy(name).without],
}).sort();

const sized = sources.map((path) => ({ path, size: statSync(new URL(path, root)).size }));

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: filesOfPart(sized, process.env.EBB_MUTANTS_PART ?? '1/1'),
  plugins: [new URL('one-process.ts', import.meta.url).href],
  testRunner: 'one-process',
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
  // A busy machine takes minutes for all the tests.
  dryRunTimeoutMinutes: 20,
  // For what keeps the process itself busy. The runner ends its tests long before.
  timeoutMS: 60_000,
  // What web pages, axios, undici and fleets alone reach counts as not killed here. Most others that are left cannot be observed:
  // a guard that only the types need, a shortcut. The least score is that of all parts together: run.ts.
  thresholds: { high: 90, low: 70, break: null },
};
