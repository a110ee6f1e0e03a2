import type { Reply } from './known-state.ts';
import type { Outage } from './outage.ts';
import type { StoreCall } from './store-call.ts';

/** The outcome of a call. */
export interface Answer {
  readonly call: StoreCall;
  readonly sentAtMs: number;
  /** `undefined` if the call failed, or is given up. */
  readonly reply?: Reply | undefined;
  readonly error?: unknown;
  /** `'given up'`: another answer may come, which is then `'late'`. */
  readonly state?: 'given up' | 'late';
}

/** The store was lost, is back, or has another time. */
export type Turn =
  | { readonly type: 'lost'; readonly error: unknown; readonly mode: Outage['mode']; readonly share: number }
  | { readonly type: 'back'; readonly outageMs: number }
  | { readonly type: 'step'; readonly byMs: number };

/** The work to do after a step. */
export interface Step {
  /** Requests that wait may get their tokens now, or be refused. */
  readonly granted: boolean;
  /** Calls to send now. The outcome of each call is the `answer` of another step. */
  readonly calls: readonly StoreCall[];
  /** When to step next, if nothing happens before; `Infinity` for never. */
  readonly wakeAtMs: number;
  /** The same, but not worth keeping a process alive for. */
  readonly lookAtMs: number;
  readonly turns: readonly Turn[];
  /** Other limits hold. */
  readonly isLimited: boolean;
}
