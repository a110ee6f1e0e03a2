export * from '../request/layers.ts';
export { otherRetriesOf } from '../request/other-retries.ts';
