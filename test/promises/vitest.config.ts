import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import quick from '../vitest.quick.config.ts';
import { mutant } from './mutant.ts';

const plugin: Plugin = {
  name: 'ebb-promises',
  enforce: 'pre',
  transform(code, id) {
    const { row } = mutant;
    if (row === undefined || id.split('?')[0] !== resolve(row.file)) return undefined;
    mutant.isLoaded = true;
    return { code: code.replace(row.from, () => row.to), map: null };
  },
};

const projects = (quick.test?.projects ?? []) as TestProjectInlineConfiguration[];

/** The quick tests, with a mutant. One that never settles fails the first test that waits for it. */
export default defineConfig({
  root: quick.root as string,
  test: {
    maxWorkers: 1,
    projects: projects.map((project) => ({
      ...project,
      plugins: [plugin],
      // From a cache on the disk a file would come as it was before.
      test: { ...project.test, fsModuleCache: false, maxWorkers: 1, testTimeout: 10_000 },
    })),
  },
});
