import type * as node from './node.ts';

// Browsers have axios's adapters for XMLHttpRequest and fetch, with web streams. All of this is tested with `&&` and `?`, which
// bundlers fold.

type Maybe<T> = T | undefined;

export const mayBeSentAtOnce: Maybe<typeof node.mayBeSentAtOnce> = undefined;
export const sendAtOnce: Maybe<typeof node.sendAtOnce> = undefined;
export const formBody: Maybe<typeof node.formBody> = undefined;
export const closeWith: Maybe<typeof node.closeWith> = undefined;
export const whenNodeBodyEnds: Maybe<typeof node.whenNodeBodyEnds> = undefined;
export const abortUpload: Maybe<typeof node.abortUpload> = undefined;
export const everyRetryAfter: Maybe<typeof node.everyRetryAfter> = undefined;
export const lastHop: Maybe<typeof node.lastHop> = undefined;
export const receivedResponse: Maybe<typeof node.receivedResponse> = undefined;
export const isTunnelRefused: Maybe<typeof node.isTunnelRefused> = undefined;

export { isLostConnection as breaksBody } from '../lost-connection.ts';
