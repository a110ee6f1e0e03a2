import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import config from '../vitest.config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The doors of the packages in this copy of the repository. Stryker links its node_modules, and there the packages lead to the
 * sources that it has not changed.
 */
const doors = globSync('packages/*/package.json', { cwd: root }).flatMap((path) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8'));
  return Object.entries<string | Record<string, string>>(exports).flatMap(([door, entry]) => {
    const source = typeof entry === 'string' ? undefined : entry['@ebb/source'];
    if (source === undefined) return [];
    return [
      { find: new RegExp(`^${name}${door.slice(1)}$`), replacement: join(root, dirname(path), source) },
    ];
  });
});

export default defineConfig({
  ...config,
  resolve: {
    ...config.resolve,
    alias: [{ find: /^fast-check$/, replacement: join(root, 'test/mutants/few-runs.ts') }, ...doors],
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
