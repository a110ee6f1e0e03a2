import type { RequestTraits } from '../http/outcome.ts';
import { type LayeredCall, type Passage, type Surroundings, type Way } from './layer.ts';
/** Counts a layer: a wrapped fetch, an interceptor. */
export declare function countLayer(_isDispatcher?: boolean, _layer?: object): void;
/** True if a call may have been made within another one. */
export declare function areLayered(): boolean;
/** True if a call that is sent this way may pass through another layer, and so needs a passage. */
export declare function mayBeLayered(way: Way): boolean;
/** Nothing can tell here. A call says it itself. */
export declare function isWithinCall(): boolean;
/** True for the runtime's own fetch, in which there is no layer. */
export declare function isNativeFetch(fetch: unknown): boolean;
/** Finds the layer above a request by what its options carry. */
export declare function surroundings(_request: RequestTraits, carried: unknown, _isDispatch: boolean): Surroundings;
/** Nothing can tell here who has made a request. */
export declare function noteFailure(_around: Surroundings): void;
/** Runs user code. What it sends waits for a slot as any other request. */
export declare function withSlots<T>(_slotsOf: readonly object[], run: () => T | PromiseLike<T>): Promise<Awaited<T>>;
export declare function openCall(call: LayeredCall): void;
export declare function closeCall(call: LayeredCall): void;
export declare function knowsAsyncContext(): boolean;
/** Calls what sends a request: its options have the passage. */
export declare function within<T>(_passage: Passage, send: () => T): T;
/** Ends are counted where a layer may be hidden from the one above it. */
export declare function nextEnd(): number;
export declare function noteEnd(_result: unknown): void;
export declare function hasEndedBelow(_result: unknown, _since: number): boolean;
//# sourceMappingURL=layers-web.d.ts.map