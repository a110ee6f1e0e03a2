import { readFileSync } from 'node:fs';

const door = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');

/** The backoff rules that users import, by their names: each needs rows in the tables of their tests. */
export const RULES: readonly string[] = [...door.matchAll(/^export \{([^}]*)\} from '\.\/backoff\//gm)]
  .flatMap(([, names = '']) => names.split(','))
  .map((name) => name.trim())
  .filter((name) => name !== '' && !name.startsWith('type '))
  .sort();
