import type { RequestTraits } from '../http/outcome.ts';

const NONE: readonly object[] = [];

/**
 * A call of ebb as the calls within it see it, such as an ebb dispatcher below an ebb fetch, or the request of a hook for a
 * token. An inner call of the same request sends once, and takes nothing from limits that the outer call holds.
 */
export interface OuterCall {
  /** False once it has ended: sockets and timers may keep its async context alive. */
  readonly isOpen: boolean;
  /** The buckets that tokens were taken from for its attempt. */
  readonly bucketsTaken: readonly object[];
  /** The limits whose slots it holds, including those of the calls around it. */
  readonly slotsHeld: readonly object[];
  /** Buckets that are already charged for the first request of a function. */
  readonly paidBuckets?: Set<object> | undefined;
  /** Its attempt, from 1. */
  readonly attempt: number;
  /** True once a call that was made within this attempt was retried, and has failed. */
  hasFailed?: boolean;
  /** True if it sends the same request, and so decides about a retry. Another request is a call of its own. */
  sends(request: RequestTraits): boolean;
}

/** Stands for user code of a call, or for a call on the fast path. A class, because axios copies plain objects. */
export class AroundCalls implements OuterCall {
  readonly #request: (() => RequestTraits) | undefined;
  readonly bucketsTaken: readonly object[] = NONE;
  readonly slotsHeld: readonly object[];
  isOpen = true;
  readonly attempt: number = 1;
  declare hasFailed?: boolean;

  /** @param request `undefined` for user code, whose requests are calls of their own */
  constructor(request: (() => RequestTraits) | undefined, slotsHeld: readonly object[] = NONE) {
    this.#request = request;
    this.slotsHeld = slotsHeld;
  }

  sends(request: RequestTraits): boolean {
    return this.#request !== undefined && isSame(this.#request(), request);
  }
}

/**
 * The key of the {@link OuterCall} in the options of a client, and on a result of what hedges add to the history. The same for all
 * copies of this package in a program.
 */
export const LAYER: unique symbol = Symbol.for('@ebb/core layer');

/**
 * The way in which a call is sent. It tells which clients of ebb may be below.
 *
 * - `native-fetch`: the runtime's own fetch. Dispatchers may be below
 * - `socket`: Node's http, or XMLHttpRequest. None is below
 * - `dispatcher`: another dispatcher. Any client may be below
 * - `client`: anything else. Any client may be below
 * - `converted`: as `client`, and an adapter of the user, which may call the same client again
 * - `function`: a function of the user, which may send any number of requests
 */
export type Way = 'native-fetch' | 'socket' | 'dispatcher' | 'client' | 'converted' | 'function';

/** The URL in the normal form of all clients, without the fragment, which is not sent. */
function hrefOf({ url }: RequestTraits): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  parsed.hash = '';
  return parsed.href;
}

/** True if two requests are the same. */
export function isSame(one: RequestTraits, other: RequestTraits): boolean {
  return one === other || (one.method === other.method && hrefOf(one) === hrefOf(other));
}
