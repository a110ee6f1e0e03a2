import type { Dispatcher } from 'undici';
import type { RequestBody } from './request-body.ts';
/** The body of a request; `undefined` if the options can be dispatched again as they are, or undici refuses the body. */
export declare function bodyOf(options: Dispatcher.DispatchOptions): RequestBody | undefined;
//# sourceMappingURL=body-of.d.ts.map