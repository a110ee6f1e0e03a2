import type { RequestTraits } from '../http/outcome.ts';
import { type LayeredCall, type Passage, type Surroundings, type Way } from './layer.ts';
/**
 * Counts a layer: a wrapped fetch, a composed dispatcher, an interceptor.
 *
 * @param layer the function that the user has: once it is garbage-collected, it does not count any more
 */
export declare function countLayer(isDispatcher?: boolean, layer?: object): void;
/** True if a call may have been made within another one: by a layer above, or by user code that another call runs. */
export declare function areLayered(): boolean;
/**
 * True if a call that is sent this way may pass through another layer, and so needs a passage. That costs 0.4 µs per
 * request, and makes every `await` slower on Node 22.
 */
export declare function mayBeLayered(way: Way): boolean;
/** True if the code that runs now is part of an open call. */
export declare function isWithinCall(): boolean;
/** True for the runtime's own fetch, in which there is no layer. */
export declare function isNativeFetch(fetch: unknown): boolean;
/**
 * Finds the layers above a request. A different request that starts inside an open call, for a token for example, is a
 * call of its own. A dispatcher takes it for the next hop of a redirect instead, once it has seen the call itself.
 *
 * @param carried what the options of the request hold under {@link LAYER}
 * @param isDispatch true if this layer is a dispatcher, below the code that follows redirects
 */
export declare function surroundings(request: RequestTraits, carried: unknown, isDispatch: boolean): Surroundings;
/** Tells the user code around a call that it need not be repeated: the call has been, and has failed. */
export declare function noteFailure({ maker }: Surroundings): void;
/**
 * Runs user code that a call waits for while it holds slots. What it sends through the limits of these slots does not wait
 * for another slot: all of them may be held by calls that wait in the same way.
 *
 * Without async context, as in browsers, that holds until the code first waits for something.
 */
export declare function withSlots<T>(slotsOf: readonly object[], run: () => T | PromiseLike<T>): Promise<Awaited<T>>;
/** To be called before a call, or user code, may make others; {@link closeCall} after it. */
export declare function openCall(call: LayeredCall): void;
export declare function closeCall(call: LayeredCall): void;
/** True if what user code sends can always be told from what others send. */
export declare function knowsAsyncContext(): boolean;
/** Calls what sends a request, so that the layers below find the passage. */
export declare function within<T>(passage: Passage, send: () => T): T;
/** The number of the next end: everything that ends from now on has this number or a higher one. */
export declare function nextEnd(): number;
/**
 * Notes the result that a layer has ended with. Needed without a storage only, as in browsers: a layer that did not find
 * the one above it may have retried, and the one above must not retry the same result again.
 */
export declare function noteEnd(result: unknown): void;
/** True if a layer below has ended with this result since the end of that number. */
export declare function hasEndedBelow(result: unknown, since: number): boolean;
//# sourceMappingURL=layers.d.ts.map