import type { RequestTraits } from '../http/outcome.ts';

/**
 * One call may pass through several layers of ebb: an ebb fetch over another, axios over a dispatcher. The outermost layer
 * retries, and the inner ones send once. With this file an inner layer finds out that it is one.
 *
 * A passage reaches the layers below in three ways, none of which changes what is sent over the wire: under a symbol in
 * the options, which interceptors copy; in Node's `AsyncLocalStorage`, which Bun, Deno and workerd have as well; and in a
 * variable that is set while the layer below is called, for code that runs synchronously.
 */
export interface Passage {
  /** The call, the same object for all of its layers. */
  readonly call: LayeredCall;
  /** The buckets that the layers above took tokens from for this attempt. */
  readonly tookFrom: readonly object[];
}

/** One call, shared by all of its layers. Or user code that a call waits for, which may make calls of its own. */
export interface LayeredCall {
  /** `undefined` for user code: what it sends is never the same request. */
  readonly request: RequestTraits | undefined;
  /** False once the outermost layer has ended: sockets and timers may keep the context of a call alive. */
  open: boolean;
  /** True once a dispatcher has seen the call. What is dispatched to another URL after that follows a redirect. */
  dispatched: boolean;
  /** True once a layer below has found it. */
  isReached?: boolean | undefined;
  /** The limits whose slots it holds, including those of the calls around it. */
  slotsOf: readonly object[];
  /** Buckets that tokens were taken from for the first request that the user code sends. */
  paid?: Set<object> | undefined;
  /** True once a call that the user code has made was retried, and has failed. */
  hasFailed?: boolean | undefined;
}

/** The key of the {@link Passage} in the options of a client, the same for all copies of this package in a program. */
export const LAYER: unique symbol = Symbol.for('@ebb/core layer');

/**
 * What a layer sends its attempts with, and so which layers may be below it.
 *
 * - `native-fetch`: the runtime's own fetch. Dispatchers may be below
 * - `socket`: Node's http, or XMLHttpRequest. No layer is below
 * - `dispatcher`: another dispatcher, below the code that follows redirects. Any layer may be below
 * - `client`: anything else. Any layer may be below
 * - `converted`: as `client`, and what it settles with is a new object, which does not show the layers below
 * - `function`: a function of the user, which may send any number of requests
 */
export type Way = 'native-fetch' | 'socket' | 'dispatcher' | 'client' | 'converted' | 'function';

/** What is around a request when it starts: the layers above it, and the calls that it was started in. */
export interface Surroundings {
  /** The passage of the layer above; `undefined` for the outermost layer. */
  readonly outer: Passage | undefined;
  /** The limits whose slots the calls around it hold. */
  readonly slotsOf: readonly object[];
  /** The call that has made this one, which is another. */
  readonly maker?: LayeredCall | undefined;
}

/** The surroundings of a request without any layer or call around it. */
export const NO_LAYERS: Surroundings = { outer: undefined, slotsOf: [] };
