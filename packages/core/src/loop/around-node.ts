// What is around a request, as far as the runtime can tell. around-web.ts has the same names.
export * from './layers.ts';
export { otherRetriesOf } from './other-retries.ts';
