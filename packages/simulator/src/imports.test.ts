import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('.', import.meta.url).pathname;
const library = globSync('**/*.ts', { cwd: source }).filter(
  (path) => !path.endsWith('.test.ts') && path !== 'cli.ts' && !path.startsWith('cli/'),
);

test.each(library)('%s runs in a browser: it uses nothing of Node', (path) => {
  const text = readFileSync(`${source}${path}`, 'utf8');
  expect(text).not.toMatch(/from 'node:/);
  expect(text).not.toMatch(/\bprocess\.\w/);
});
