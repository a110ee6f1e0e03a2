import type { Policy } from '@ebb/core';
import type { Dispatcher } from 'undici';

/** One call of `compose`. */
export interface Composition {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  /** The origin of requests whose options have none. */
  readonly ownOrigin: string;
  /** True if a layer below has shown itself; `undefined` before the first response. */
  hasBelow: boolean | undefined;
}
