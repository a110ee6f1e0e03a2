import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // A built page may lie in any folder.
  base: './',
  // The packages' own sources, so that the page runs what stands beside it.
  resolve: { conditions: ['@ebb/source', ...defaultClientConditions] },
  worker: { format: 'es' },
  build: { target: 'es2023' },
  server: { host: '127.0.0.1' },
});
