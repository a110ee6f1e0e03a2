/**
 * Mutation tests of core: `pnpm check mutants`, or `pnpm check mutants --mutate packages/core/src/queue/heap.ts` for one file.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [
    'packages/core/src/**/*.ts',
    '!**/*.test.ts',
    '!**/*.test-d.ts',
    '!packages/core/src/index.ts',
    '!packages/core/src/testing/**',
  ],
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
  timeoutMS: 3_000,
  timeoutFactor: 2,
  thresholds: { high: 95, low: 90, break: 90 },
};
