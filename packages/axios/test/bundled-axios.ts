import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { AxiosStatic } from 'axios';

const require = createRequire(import.meta.url);

/** A copy of axios that neither `import` nor `require` has loaded, as a bundler makes it. */
export function bundledAxios(change: (code: string) => string = (code) => code): AxiosStatic {
  const path = require.resolve('axios');
  const module = { exports: {} as AxiosStatic };
  const load = new Function('module', 'exports', 'require', change(readFileSync(path, 'utf8')));
  load(module, module.exports, createRequire(pathToFileURL(path)));
  return module.exports;
}
