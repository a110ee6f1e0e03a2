import type { Policy } from '@ebb/core';
import type { Dispatcher } from 'undici';

/** One call of `compose`. */
export interface Composition {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  /** Starts a request. @param isRest true if it asks for the rest of a download, and leaves a break to the one above */
  readonly start: (
    composition: Composition,
    given: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    isRest?: boolean,
  ) => boolean;
  /** The origin of requests whose options have none. */
  readonly ownOrigin: string;
  /** True if a layer below has shown itself; `undefined` before the first response. */
  hasBelow: boolean | undefined;
}
