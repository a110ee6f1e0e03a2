import type { Policy } from '@ebb/core';
import type { Dispatcher } from 'undici';
import type { Resume } from './resume.ts';
import type { Trails } from './trail.ts';

/** One call of `compose`. */
export interface Composition {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  /** The origin of requests whose options have none. */
  readonly ownOrigin: string;
  readonly trails: Trails;
  /** For bodies other than downloads. */
  readonly resume: Resume | undefined;
  /** True if a layer below has shown itself; `undefined` before the first response. */
  hasBelow: boolean | undefined;
}
