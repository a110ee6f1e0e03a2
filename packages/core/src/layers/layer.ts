import { warn } from '../base/errors.ts';
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

/**
 * The key of the {@link Passage} in the options of a client, and on a result of what a layer below adds to the history. The same for all
 * copies of this package in a program.
 */
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
export interface LayersFound {
  /** The passage of the layer above; `undefined` for the outermost layer. */
  readonly outer: Passage | undefined;
  /** The limits whose slots the calls around it hold. */
  readonly slotsOf: readonly object[];
  /** The call that has made this one, which is another. */
  readonly maker?: LayeredCall | undefined;
}

/** What a request finds that has no layer or call around it. */
export const NO_LAYERS: LayersFound = { outer: undefined, slotsOf: [] };

/** Another library that retries the same request. */
export interface OtherRetries {
  /** The request header that shows it. */
  readonly header: string;
  readonly library: string;
}

/**
 * The header, the values that prove a retry above, and what sends it. The SDKs made by Stainless send a count of 0 even if
 * they never retry.
 *
 * Source: the SDKs of OpenAI, Anthropic and Cloudflare; AWS SDKs, "Retry behavior"; gRFC A6.
 */
const MARKS: readonly (readonly [header: string, proof: RegExp, library: string])[] = [
  ['x-stainless-retry-count', /^[1-9]/, 'the SDK of OpenAI, Anthropic or Cloudflare'],
  ['amz-sdk-request', /max=([2-9]|\d\d)/, 'the AWS SDK'],
  ['grpc-previous-rpc-attempts', /^[1-9]/, 'a gRPC client'],
];

/** The library that retries a request as well, with a warning once for each; `undefined` if none shows. */
export function otherRetriesOf(request: RequestTraits): OtherRetries | undefined {
  for (const [header, proof, library] of MARKS) {
    if (!proof.test(request.header(header) ?? '')) continue;
    warnOnce({ header, library });
    return { header, library };
  }
  return undefined;
}

const warned = new Set<string>();

function warnOnce({ header, library }: OtherRetries): void {
  if (warned.has(library)) return;
  warned.add(library);
  warn(
    `${library} retries the same requests as ebb, as ${header} shows: turn its retries off, or the attempts multiply`,
  );
}
