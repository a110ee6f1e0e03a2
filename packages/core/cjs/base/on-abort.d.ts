/**
 * Calls `call` once when the signal aborts. Returns a function that cancels it. Like a listener, it is not called for a
 * signal that has aborted already.
 *
 * All calls under one signal share one listener, which is removed with the last of them. `addEventListener` compares a
 * new listener with all that exist: with one each, 32,000 requests under one signal would take seconds to start and as
 * long to end, and Node would warn of a leak from the eleventh.
 */
export declare function onAbort(signal: AbortSignal, call: () => void): () => void;
//# sourceMappingURL=on-abort.d.ts.map