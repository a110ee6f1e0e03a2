import type { Dispatcher } from 'undici';
type Handler = Dispatcher.DispatchHandler;
/**
 * Hides the methods of `attempt` that `handler` lacks. undici 8 checks a handler when it takes a request, and so
 * reports the same error as without ebb; undici 7 does not check.
 *
 * @returns restores the attempt's own methods, before the request starts; `undefined` if nothing is lacking
 */
export declare function mirrorGaps(handler: Handler, options: Dispatcher.DispatchOptions, attempt: Handler): (() => void) | undefined;
export {};
//# sourceMappingURL=gaps.d.ts.map