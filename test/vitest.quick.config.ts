import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW } from './slow.ts';
import shared from './vitest.config.ts';

// Properties then play fewer cases.
process.env.EBB_QUICK = '1';

const root = new URL('..', import.meta.url).pathname;

const NAMED =
  /layer|nested|relay|connections|collected|compat\/src\/like|test\/(?:alone|generate|jobs|ports|timers)\//;

/** Modules that are loaded anew, and globals that are not put back. Vitest itself puts spies back after each file. */
const CHANGES =
  /resetModules|\bdoMock|vi\.mock|fake-xhr|globalThis(?:\.\w+|\[\w+\]) \?*=|globalThis as|as \{ \[\w+\]/;
const changes = (text: string): boolean =>
  CHANGES.test(text) || (text.includes('stubGlobal') && !text.includes('unstubAllGlobals'));

const exclude = [...(shared.test?.exclude ?? []), ...Object.values(SLOW).flat()];

/**
 * Tests with a process of their own: they are about what a program has loaded, collected or seen of other clients, change what all of it
 * shares, or measure. The others share processes, whose start takes longer than most of them.
 */
export const ALONE: string[] = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
}).filter((path) => NAMED.test(path) || changes(readFileSync(`${root}${path}`, 'utf8')));

// Some tests wait for sockets and for the garbage collector.
const test = { ...shared.test, maxWorkers: Math.ceil(availableParallelism() * 1.5) };

/** What `test` runs. */
export default defineConfig({
  root,
  test: {
    maxWorkers: test.maxWorkers,
    projects: [
      {
        ...shared,
        extends: false,
        test: { ...test, name: 'shared', exclude: [...exclude, ...ALONE], isolate: false },
      },
      { ...shared, extends: false, test: { ...test, name: 'alone', include: ALONE, exclude } },
    ],
  },
});
