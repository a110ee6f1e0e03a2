/**
 * Changes the sources of core, one place at a time, and runs the tests that reach that place: a change that no
 * test notices survives. `pnpm mutants`, or `pnpm mutants --mutate packages/core/src/limits/queue/heap.ts` for one file.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: ['packages/core/src/**/*.ts', '!**/*.test.ts', '!**/*.test-d.ts', '!packages/core/src/index.ts'],
  // Named, because pnpm does not put it beside Stryker itself, which looks there.
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'test/stryker.vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // What is evaluated as a file is loaded belongs to no test, and would run all of them for each mutant.
  ignoreStatic: true,
  concurrency: Number(process.env.EBB_MUTANTS_AT_ONCE ?? 2),
  // What is tried is a copy of the project without what core does not need.
  // Not below node_modules: Node takes no types away there, and a test starts a program.
  tempDirName: '.stryker',
  ignorePatterns: ['dist', '*.tsbuildinfo', 'docs', 'examples', 'packages/*/figures', 'packages/*/data'],
  reporters: ['clear-text', 'progress', 'json'],
  jsonReporter: { fileName: 'node_modules/.stryker-report.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  // A loop that a mutant makes endless is ended soon: the tests of core take milliseconds each.
  timeoutMS: 3_000,
  timeoutFactor: 2,
  thresholds: { high: 95, low: 90, break: 90 },
};
