export * from '../request/layers.ts';
export { otherRetriesOf } from '../request/other-retries.ts';
//# sourceMappingURL=node.d.ts.map