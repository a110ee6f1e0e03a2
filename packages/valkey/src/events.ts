import type { Clock } from '@ebb/core';
import { callObserver } from '@ebb/core/bucket';
import { type LossReason, lossReason } from './loss-reason.ts';

/** How requests are served while the store is unreachable: from a share of the quota, without a limit, or not at all. */
export type OnStoreError = 'local' | 'open' | 'closed';

/** A bucket or a budget lost its store, reached it again, or found its clock changed. */
export type StoreEvent = {
  /** The key in the store, prefix included. */
  readonly key: string;
  /** Milliseconds since the epoch, on the bucket's clock. */
  readonly atMs: number;
} & (
  | {
      /** The store returned an error or did not reply in time. `mode` applies from now on. */
      readonly type: 'lost';
      readonly reason: LossReason;
      /** The client's own error, if it reported one. A failed login is reported without the password. */
      readonly error: unknown;
      readonly mode: OnStoreError;
      /** The part of the quota that this process has meanwhile, from 0 to 1. */
      readonly share: number;
    }
  | {
      /** The bucket is shared again. */
      readonly type: 'back';
      /** How long it was not shared, in milliseconds. */
      readonly outageMs: number;
    }
  | {
      /**
       * The clock of the store was set back by more than a second, or ahead by more than about twice `timeoutMs`: by an operator, or
       * because another host serves the key. The bucket goes on as if it had not been. Also seen by a process that was suspended.
       */
      readonly type: 'step';
      /** How far, in milliseconds; below 0 if the clock was set back. */
      readonly byMs: number;
      /** Says it in words, such as `store clock stepped back by 5.00 s`. */
      readonly message: string;
    }
);

/** Called with every event, as it happens. */
export type StoreObserver = (event: StoreEvent) => void;

/** An event as the bucket knows it: without the key, the time and the reason, which follow. */
export type WithoutOrigin<E extends StoreEvent = StoreEvent> = E extends StoreEvent
  ? Omit<E, 'key' | 'atMs' | 'reason'>
  : never;

/** Calls the observer, if there is one. An observer that throws is reported once. */
export function emitStoreEvent(
  setup: { readonly onStoreEvent?: StoreObserver | undefined; readonly key: string },
  clock: Clock,
  event: WithoutOrigin,
): void {
  const { onStoreEvent, key } = setup;
  if (onStoreEvent === undefined) return;
  const reason = event.type === 'lost' ? { reason: lossReason(event.error) } : {};
  callObserver('onStoreEvent', onStoreEvent, { ...event, ...reason, key, atMs: clock.now() } as StoreEvent);
}
