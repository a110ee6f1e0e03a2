import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { oneThread } from '../one-thread.ts';

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: oneThread(['test/mutants/sample/sum.cases.ts']),
});
