import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { packages } from '../build/packages.ts';
import { SLOW } from '../slow.ts';
import config from '../vitest.config.ts';
import { ALONE } from '../vitest.quick.config.ts';

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

/** A mutant ends with the first test that fails: first the files that killed the mutants before it, then the quickest. */
class Likeliest extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification): number => {
      const { failed = false, duration = 0 } = this.ctx.cache.getTestSpecificationResult(file) ?? {};
      return duration + (failed ? -1e9 : 0) + (file.project.config.isolate ? 1e6 : 0);
    };
    return [...files].sort((one, other) => rank(one) - rank(other));
  }
}

// Core's own tests, and those of its parts over the clients.
const include = [
  'packages/{core,fetch}/src/**/*.test.ts',
  'test/{answer,coalesced,hedges,limits,parts,presets,provider-headers,provider-limits,read-cost,throttle,user-code}.test.ts',
  'test/migration/like/*.test.ts',
];
const isOwn = (path: string): boolean => /^(packages\/(core|fetch)\/src|test\/[\w-]+\.test)/.test(path);

const exclude = [...(config.test?.exclude ?? []), ...Object.values(SLOW).flat()];

const shared = {
  ...config,
  extends: false as const,
  resolve: {
    ...config.resolve,
    alias: [
      { find: /^fast-check$/, replacement: fileURLToPath(new URL('few-runs.ts', import.meta.url)) },
      ...doors,
    ],
  },
};

const test = {
  ...config.test,
  maxWorkers: 1,
  setupFiles: ['test/mutants/stryker.setup.ts'],
  // A mutant that never settles fails the first test that waits for it.
  testTimeout: 10_000,
};

/** One process loads core once for all files, and each run of Stryker has a new one. */
export default defineConfig({
  root: config.root as string,
  test: {
    maxWorkers: 1,
    sequence: { sequencer: Likeliest },
    projects: [
      {
        ...shared,
        test: { ...test, name: 'shared', include, exclude: [...exclude, ...ALONE], isolate: false },
      },
      { ...shared, test: { ...test, name: 'alone', include: ALONE.filter(isOwn), exclude } },
    ],
  },
});
