import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { preview } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the built site, with a slash at its end. */
    site: string;
  }
}

const root = join(import.meta.dirname, '../..');

/** A folder of its host, as on GitHub Pages. */
const BASE = '/ebb/';

/** Builds the site and serves it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    NODE_ENV: 'production',
    DOCS_URL: `https://ebb.test${BASE}`,
  };
  await promisify(execFile)(process.execPath, ['docs/.vitepress/run.ts', 'build'], { cwd: root, env });
  const server = await preview({
    configFile: false,
    root: join(root, 'docs'),
    base: BASE,
    appType: 'mpa',
    logLevel: 'error',
    build: { outDir: '.vitepress/dist' },
    preview: { host: '127.0.0.1', port: 0 },
  });
  project.provide('site', server.resolvedUrls?.local[0] ?? '');
  return () => server.close();
}
