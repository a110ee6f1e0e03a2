import type { ThrottleState } from '../news/events.ts';
import type { Part } from './part.ts';

/**
 * Sends less while little succeeds, for a policy.
 *
 * An event `share` is one of a request, as all events are, and goes to the policy of that request. So a change by {@link hold} or
 * {@link release} is reported with the next request, and not by the call itself.
 */
export interface Throttle {
  /** How it takes part in calls. */
  readonly part: Part;
  readonly state: ThrottleState;
  /** The share of new requests that is sent, from 0 to 1. */
  readonly share: number;
  /** Opens it by hand: nothing is sent until {@link release}, and all chances are skipped. */
  hold(): void;
  /** Closes it by hand: the share is 1 again, also if it has not been held. */
  release(): void;
  /** True if `perKey` may evict it. */
  readonly isIdle: boolean;
}
