import { createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import { countLayer, LAYER, type Session, startSession } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { requestBody } from './body/body-of.ts';
import { Closing } from './closing.ts';
import { withLastingHeaders } from './headers.ts';
import { isLegacy, type LegacyHandler, modern } from './legacy.ts';
import { Relay } from './relay.ts';
import type { Request } from './send.ts';
import { Traits } from './traits.ts';

type Handler = Dispatcher.DispatchHandler;

interface Options extends Dispatcher.DispatchOptions {
  /** Legacy handlers know nothing of HTTP/2. */
  readonly allowH2?: boolean;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

interface Composed {
  readonly policy: Policy;
  readonly dispatch: Dispatcher.Dispatch;
  readonly ownOrigin: string;
  readonly closing: Closing | undefined;
}

let composedSoFar = 0;

/**
 * undici 7 tells nobody the origin of a `Client` or `Pool`. A name of its own keeps what is kept by origin, a
 * bucket say, apart from that of others.
 */
function nameOrigin(): string {
  composedSoFar += 1;
  return `http://dispatcher-${composedSoFar}.invalid`;
}

/** What a request changes, it changes of this layer, and not of one below. */
function withoutEbb({ ebb: _, ...others }: Options): Options {
  return others;
}

/** What becomes of a dispatch that the policy is to see. */
function relay(
  { policy, dispatch, ownOrigin, closing }: Composed,
  given: Options,
  handler: Handler,
): boolean {
  const { ebb } = given;
  const own = ebb === undefined ? given : withoutEbb(given);
  if (ebb === false) return dispatch(own, handler);
  let request: Request;
  try {
    const options = withLastingHeaders(own);
    const body = requestBody(options);
    const carried = (given as { readonly [LAYER]?: unknown })[LAYER];
    const session = startSession(policy, new Traits(options, body, ownOrigin), ebb, carried, true) as Session;
    request = { dispatch, options, body, session, closing };
  } catch (error) {
    // As undici does if options are wrong.
    handler.onResponseError?.(null as never, error as Error);
    return false;
  }
  return new Relay(request, handler).start();
}

/**
 * An interceptor for `dispatcher.compose()` that sends each request when the policy allows it, and again when
 * that helps. To the handler it is one request, whichever attempt gets through.
 *
 * @param policyOrOptions a policy to share with other clients, or the options of one
 * @throws TypeError, RangeError for wrong options
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/undici';
 * import { Agent, request } from 'undici';
 *
 * const dispatcher = new Agent().compose(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { body } = await request('https://api.example.com/', { dispatcher });
 * console.log(await body.json());
 * ```
 */
export function ebbInterceptor(
  policyOrOptions: Policy | PolicyOptions = {},
): Dispatcher.DispatcherComposeInterceptor {
  const policy = createPolicy(policyOrOptions);
  return function ebb(...args) {
    countLayer();
    const [dispatch] = args;
    const closing = Closing.of(args);
    const composed = { policy, dispatch, ownOrigin: nameOrigin(), closing };
    // `compose` takes nothing but a function of exactly two parameters.
    return function ebbDispatch(options, handler) {
      if (!isObject(options) || !isObject(handler)) return dispatch(options, handler);
      if (isLegacy(handler))
        return ebbDispatch({ ...options, allowH2: false } as Options, modern(handler as LegacyHandler));
      // undici has an error of its own for a handler like that.
      if (typeof handler.onRequestStart !== 'function' || typeof handler.onResponseError !== 'function') {
        return dispatch(options, handler);
      }
      return relay(composed, options, handler);
    };
  };
}
