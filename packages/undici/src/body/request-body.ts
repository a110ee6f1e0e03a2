import type { MakeBody } from '@ebb/core/adapter';

/** Options of a dispatch that one attempt has in place of the request's own. */
export type DispatchChanges = Readonly<Record<string, unknown>>;

/** A request body that needs help before a second attempt can send it. */
export interface RequestBody {
  /** True if the next attempt would send the same bytes as the first. */
  readonly replayable: boolean;
  /** Makes the body of the next attempt; absent if that takes no code of the user. */
  readonly make?: MakeBody;
  /** The options that carry the body of the next attempt, if they are not the request's own. */
  take?(): DispatchChanges | undefined;
  /** Closes what {@link take} returned, when its attempt has ended without reading it to the end. */
  release?(taken: DispatchChanges): void;
  /** An attempt ended while undici still had it in a queue: undici destroys the body when it dequeues it. */
  abandoned?(): void;
  /** No attempt will read the body any more. Not called when the last attempt's response has gone to the handler. */
  close?(): void;
  /** The request ended before an attempt was dispatched, so undici does not destroy the body. */
  unsent?(reason: unknown): void;
}

/** Runs the `finally` blocks of a generator. Not awaited: one that is awaiting something runs them only after that. */
export function finish(body: object): void {
  const { next, return: end }: { next?: unknown; return?: unknown } = body;
  if (typeof next !== 'function' || typeof end !== 'function') return;
  new Promise((resolve) => resolve(end.call(body, undefined))).catch(() => undefined);
}
