export { createFetch, type EbbFetch } from './create-fetch.ts';
export type { BodyFactory, EbbRequestInit, FetchInput } from './init.ts';
