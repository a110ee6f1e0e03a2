export { type BaseFetch, createFetch, type EbbFetch } from './create-fetch.ts';
export type { BodyFactory, EbbRequestInit, FetchInit, FetchInput } from './request.ts';
