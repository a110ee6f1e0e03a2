// Found by `npx vitest` and by editors.
export { default } from './test/vitest.config.ts';
