export { whenBodyEnds } from '@ebb/core/adapter';
export { failedToConnectTo, recordConnectErrors } from '../connect-errors.ts';
export { Hops } from '../hops.ts';
export { sharesResponses, unshared } from '../next.ts';
export { hasAsyncContext } from '../node.ts';
//# sourceMappingURL=node.d.ts.map