import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The built page may be in any folder.
  base: './',
  // The sources of the packages, not their builds.
  resolve: { conditions: ['@ebb/source', ...defaultClientConditions] },
  worker: { format: 'es' },
  build: { target: 'es2023' },
  server: { host: '127.0.0.1' },
});
