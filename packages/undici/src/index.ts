import type { Readable } from 'node:stream';
import type { Policy, PolicyOptions, RequestOptions } from '@ebb/core';
import {
  addsCredentials,
  type Call,
  countClient,
  createPolicy,
  hasMiddleware,
  LAYER,
  mayBeSentAtOnce,
  mustTrust,
  originOf,
  startCall,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { bodyOf } from './body.ts';
import type { Handler } from './handler.ts';
import { forHandlers } from './handler.ts';
import { ownOptions } from './headers.ts';
import { Traits } from './outcome.ts';
import { type Composition, UndiciRequest } from './undici-request.ts';

/** undici has a `RequestOptions` of its own, which the declarations below would mean by that name. */
type EbbOptions = RequestOptions;

/** A body that a {@link BodyFactory} may return. */
export type MadeBody = string | Uint8Array | Readable | AsyncIterable<string | Uint8Array> | null;

/** Makes a new body for each attempt, so that even a stream can be sent again. */
export type BodyFactory = () => MadeBody | Promise<MadeBody>;

/** The options of an undici method, with a factory in place of the body. */
export type WithBodyFactory<Options> = Omit<Options, 'body'> & { readonly body: BodyFactory };

declare module 'undici' {
  namespace Dispatcher {
    interface DispatchOptions {
      /** Policy options for this request only; `false` bypasses ebb. */
      ebb?: EbbOptions | undefined;
    }
    interface ConnectOptions<TOpaque = null> {
      /** Policy options for this request only; `false` bypasses ebb. */
      ebb?: EbbOptions | undefined;
    }
    interface UpgradeOptions {
      /** Policy options for this request only; `false` bypasses ebb. */
      ebb?: EbbOptions | undefined;
    }
  }

  interface Dispatcher {
    request<TOpaque = null>(
      options: WithBodyFactory<Dispatcher.RequestOptions<TOpaque>>,
    ): Promise<Dispatcher.ResponseData<TOpaque>>;
    stream<TOpaque = null>(
      options: WithBodyFactory<Dispatcher.RequestOptions<TOpaque>>,
      factory: Dispatcher.StreamFactory<TOpaque>,
    ): Promise<Dispatcher.StreamData<TOpaque>>;
  }

  function request<TOpaque = null>(
    url: string | URL,
    options: WithBodyFactory<Omit<Dispatcher.RequestOptions<TOpaque>, 'origin' | 'path' | 'method'>> & {
      dispatcher?: Dispatcher;
      method?: Dispatcher.HttpMethod;
    },
  ): Promise<Dispatcher.ResponseData<TOpaque>>;
  function stream<TOpaque = null>(
    url: string | URL,
    options: WithBodyFactory<Omit<Dispatcher.RequestOptions<TOpaque>, 'origin' | 'path'>> & {
      dispatcher?: Dispatcher;
    },
    factory: Dispatcher.StreamFactory<TOpaque>,
  ): Promise<Dispatcher.StreamData<TOpaque>>;
}

interface Options extends Dispatcher.DispatchOptions {
  readonly [LAYER]?: unknown;
}

let compositions = 0;

/**
 * Stands for the origin of a `Client` or `Pool`, which undici 7 does not tell an interceptor. A unique name keeps a
 * bucket per origin apart from those of other dispatchers.
 */
function makeOrigin(): string {
  compositions += 1;
  return `http://dispatcher-${compositions}.invalid`;
}

/** True if nothing has to be made for a request before its first failure. */
function isSentAtOnce({ policy }: Composition, given: Options): boolean {
  return given.ebb === undefined && given[LAYER] === undefined && mayBeSentAtOnce(policy, 'dispatcher');
}

/**
 * A credential goes to the origin of the options, whatever a whole URL in their path says.
 *
 * @throws TypeError if the policy trusts no one, or it is not known whom the request goes to
 */
function checkTrust({ policy, request }: Call, { origin }: Options): void {
  if (!addsCredentials(policy)) return;
  mustTrust('ebb', policy);
  const isOwn = origin
    ? originOf({ url: String(origin) }) === originOf(request)
    : !Array.isArray(policy.trustedOrigins);
  if (!isOwn)
    throw new TypeError('ebb: with trustedOrigins a request must have an `origin`, that of its URL');
}

/** @throws TypeError for a policy with middleware: a dispatcher tells a handler of events, and has no result that middleware could return */
function mustHaveNoMiddleware(policy: Policy): void {
  if (hasMiddleware(policy))
    throw new TypeError(
      'middleware: a dispatcher has no result to return; undici has interceptors.cache() and deduplicate()',
    );
}

/** `ebb` options hold for this layer only, not for a layer below. */
function withoutEbb({ ebb: _, ...others }: Options): Options {
  return others;
}

/** Dispatches a request through the policy. */
function start(composition: Composition, given: Options, handler: Handler): boolean {
  const { ebb } = given;
  const own = ebb === undefined ? given : withoutEbb(given);
  if (ebb === false) return composition.dispatch(own, handler as Dispatcher.DispatchHandler);
  let request: UndiciRequest;
  try {
    const options = ownOptions(own);
    const body = bodyOf(options);
    let call: Call | undefined;
    if (body?.make !== undefined || !isSentAtOnce(composition, given)) {
      const traits = new Traits(options, body, composition.ownOrigin);
      call = startCall(composition.policy, traits, ebb, given[LAYER], 'dispatcher');
      checkTrust(call, given);
      if (ebb !== undefined) mustHaveNoMiddleware(call.policy);
    }
    request = new UndiciRequest(composition, options, body, handler, call);
  } catch (error) {
    // undici reports invalid options in the same way.
    handler.onResponseError(null, error);
    return false;
  }
  return request.start();
}

/**
 * An interceptor for `dispatcher.compose()`. It sends each request when the policy permits it, and retries it if the
 * policy says so. The handler sees one request: one controller, and the response or the error of the last attempt.
 * Without a retry a request behaves exactly like one of the bare dispatcher, but for `context`, which is always an
 * object.
 *
 * Requests fail with the errors of the dispatcher, and with two of ebb's: `NotSentError` if no token or slot can be
 * had in time for the first attempt, and `HookError` if a hook or a body factory throws.
 *
 * @param policyOrOptions a policy, which several clients can share, or the options of a new one; by default a policy
 *   with all defaults
 * @throws TypeError, RangeError if an option is invalid
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
export function ebbInterceptor(policyOrOptions: PolicyOptions = {}): Dispatcher.DispatcherComposeInterceptor {
  const policy = createPolicy(policyOrOptions);
  mustTrust('ebbInterceptor', policy);
  mustHaveNoMiddleware(policy);
  return function ebb(dispatch) {
    const composition: Composition = { policy, dispatch, ownOrigin: makeOrigin() };
    countClient(true);
    return forHandlers(dispatch, (options, handler) => start(composition, options, handler));
  };
}
