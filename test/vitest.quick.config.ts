import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SLOW } from './slow.ts';
import shared from './vitest.config.ts';

const root = new URL('..', import.meta.url).pathname;

/** About what a program has loaded or collected, and its connections; or with a page that clients find as they are loaded. */
const OWN = /connections|collected|xhr|layers-undici|test\/(?:alone|generate|ports)\//;

/** About other layers. */
const NAMED = /layer|relay|test\/(?:jobs|timers)\//;

/** Modules that are loaded anew, and globals. */
const CHANGES =
  /resetModules|\bdoMock|vi\.mock|stubGlobal|spyOn\((?:process|globalThis)|globalThis(?:\.\w+|\[\w+\]) \?*=|globalThis as|as \{ \[\w+\]/;

const exclude = [...(shared.test?.exclude ?? []), ...Object.values(SLOW).flat()];

const files: readonly string[] = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], {
  cwd: root,
});

/** Tests with a process of their own. The others share processes, whose start takes longer than most of them. */
const alone = files.filter((path) => OWN.test(path));

/** Tests that change what all of a program shares, or see what others do. They share processes that are restored after each. */
const changing = files.filter(
  (path) => !OWN.test(path) && (NAMED.test(path) || CHANGES.test(readFileSync(`${root}${path}`, 'utf8'))),
);

/** Both. */
export const ALONE: readonly string[] = [...alone, ...changing];

// Some tests wait for sockets and for the garbage collector.
const test = { ...shared.test, maxWorkers: Math.ceil(availableParallelism() * 1.5) };

const project = (name: string, own: Partial<typeof test>) => ({
  ...shared,
  extends: false as const,
  test: { ...test, exclude, ...own, name },
});

/** What `test` runs. */
export default defineConfig({
  root,
  test: {
    maxWorkers: test.maxWorkers,
    projects: [
      project('alone', { include: alone }),
      project('changing', { include: changing, setupFiles: ['test/restored.ts'], isolate: false }),
      project('shared', { exclude: [...exclude, ...ALONE], isolate: false }),
    ],
  },
});
