import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { packages } from '../build/packages.ts';
import { SLOW } from '../slow.ts';
import config from '../vitest.config.ts';
import { ALONE } from '../vitest.quick.config.ts';
import { judgedBy } from './judged.ts';
import { oneThread } from './one-thread.ts';

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

const name = process.env.EBB_MUTANTS_OF ?? 'core';
const { tests, alone } = judgedBy(name);
/** The suite over another client reaches none of the mutants. */
const others = ['fetch', 'axios', 'undici'].filter((client) => client !== name).join('|');

const apart = ALONE.filter((path) => !alone?.test(path));

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
    ...oneThread(tests),
    testNamePattern: new RegExp(`^(?!(?:${others}) over (?:sockets|MSW))`),
    exclude: [...(config.test?.exclude ?? []), ...Object.values(SLOW).flat(), ...apart],
    expect: { poll: { timeout: 500, interval: 10 } },
  },
});
