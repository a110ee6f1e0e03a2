import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { packages } from '../build/packages.ts';
import config from '../vitest.config.ts';

/**
 * The doors of the packages in this copy of the repository. Stryker links its node_modules, and there the packages lead to the
 * sources that it has not changed.
 */
const doors = packages().flatMap(({ manifest, doors }) =>
  doors.map(({ name, source }) => ({
    find: new RegExp(`^${manifest.name}${name === 'index' ? '' : `/${name}`}$`),
    replacement: source,
  })),
);

export default defineConfig({
  ...config,
  resolve: {
    ...config.resolve,
    alias: [
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('few-runs.ts', import.meta.url)) },
      ...doors,
    ],
  },
  test: {
    ...config.test,
    // Core's own tests, and those of its parts over the fetch client.
    include: [
      'packages/{core,fetch}/src/**/*.test.ts',
      'test/{hedges,limits,parts,presets,provider-headers,provider-limits,read-cost,resuming,throttle,user-code}.test.ts',
    ],
    // It counts what it has drawn, which needs more draws.
    exclude: [...(config.test?.exclude ?? []), 'packages/fetch/src/resuming.property.test.ts'],
    execArgv: [],
    setupFiles: ['test/mutants/stryker.setup.ts'],
    // A mutant that never settles fails the first test that waits for it.
    testTimeout: 10_000,
  },
});
