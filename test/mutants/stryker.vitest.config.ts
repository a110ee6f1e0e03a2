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

const HOST = 'test/mutants/host.ts';

// Core's own tests, and those of its parts over the clients.
const include = [
  'packages/{core,fetch}/src/**/*.test.ts',
  'packages/axios/src/body/peek-*.test.ts',
  'test/{answer,coalesced,hedges,limits,parts,presets,provider-headers,provider-limits,read-cost,throttle,user-code}.test.ts',
  'test/migration/like/*.test.ts',
];

class HostLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isHost = ({ moduleId }: TestSpecification): number => Number(moduleId.endsWith(HOST));
    return [...files].sort((one, other) => isHost(one) - isHost(other));
  }
}

/** One thread loads core once for all files. */
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
    include: [...include, HOST],
    exclude: [...(config.test?.exclude ?? []), ...Object.values(SLOW).flat(), ...ALONE],
    pool: 'threads',
    execArgv: [],
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: HostLast },
    runner: 'test/mutants/vitest-runner.ts',
    expect: { poll: { timeout: 500, interval: 10 } },
  },
});
