export { createFetch } from './create-fetch.ts';
