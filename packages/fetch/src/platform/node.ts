import { followForeign as follow } from '@ebb/core/adapter';

export { whenBodyEnds } from '@ebb/core/adapter';
export { failedToConnectTo, recordConnectErrors } from '../connect-errors.ts';
export { discard } from '../discard.ts';
export { keepsForeign } from '../foreign-signal.ts';
export { Hops } from '../hops.ts';
export { sharesResponses, unshared } from '../next.ts';
export { hasAsyncContext } from '../node.ts';
export { withPreconnect } from '../preconnect.ts';

/** Not in every runtime: see web.ts. */
export const followForeign: typeof follow | undefined = follow;
