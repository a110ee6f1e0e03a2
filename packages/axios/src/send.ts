import type { Policy } from '@ebb/core';
import { areLayered, property, remember, run, type Session, startSession } from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type Chosen, routeOf } from './adapter.ts';
import { type AxiosCopy, checkShared, copyOf } from './axios-copy.ts';
import type { FactoryBody } from './body/factory-body.ts';
import { requestBody } from './body/request-body.ts';
import { Call, callOf } from './call.ts';
import { asCanceled, callerSignal } from './cancel.ts';
import { LayerMark, outerLayerOf } from './config-changes.ts';
import { Traits } from './traits.ts';

/** What an interceptor knows of all its requests. */
export interface Interception {
  readonly policy: Policy;
  /** The axios module that the user passed to the interceptor. */
  readonly given: AxiosCopy | undefined;
}

/**
 * Sends a request as often as its policy says.
 *
 * @param chosen what the config names as its adapter, which sends one attempt
 * @param factory there if `data` is a function
 */
export function send(
  config: InternalAxiosRequestConfig,
  chosen: Chosen,
  { policy, given }: Interception,
  factory: FactoryBody | undefined,
): Promise<AxiosResponse> {
  const copy = copyOf(config, given);
  const route = routeOf(copy, chosen, config);
  const outer = callOf(config);
  // An adapter that sends through another instance with the same interceptor.
  if (outer?.policy === policy) return route.adapter(config);

  const { ebb } = config;
  if (ebb) checkShared(ebb);
  const body = requestBody(config.data, factory);
  const traits = new Traits(config, body);
  const carried = areLayered() ? outerLayerOf(config) : undefined;
  const session = startSession(policy, traits, ebb, carried, route.way);
  if (session === undefined) return sendWithoutEbb(config, route.adapter);

  const caller = callerSignal(config);
  const mark = carried === undefined ? undefined : new LayerMark(config);
  const call = new Call(session, traits, { policy, route, copy, body, caller, outer, mark });
  const sent = run(session, call, caller?.signal);
  // Most requests have nothing to do at their end, and save a promise.
  return caller === undefined && factory === undefined ? sent : settle(sent, call, session);
}

/** The layers below may have ebb; `false` was meant for this one. */
function sendWithoutEbb(config: InternalAxiosRequestConfig, adapter: AxiosAdapter): Promise<AxiosResponse> {
  delete config.ebb;
  return adapter(config).finally(() => {
    config.ebb = false;
  });
}

/** Ends a request that can be canceled, or whose body is made for each attempt. */
async function settle(sent: Promise<AxiosResponse>, call: Call, session: Session): Promise<AxiosResponse> {
  const { signal } = call;
  let response: AxiosResponse;
  try {
    response = await sent;
    // axios would throw a CanceledError of its own now, which has no history.
    if (signal?.aborted) throw signal.reason;
  } catch (error) {
    call.end();
    throw failed(error, call, session);
  }
  call.end();
  if (response.status >= 400) call.closeUpload(response);
  return response;
}

/** The error that the caller gets. */
function failed(error: unknown, call: Call, session: Session): unknown {
  const thrown = asCanceled(error, call.signal, call.config, call.copy);
  const response = property(thrown, 'response') as AxiosResponse | undefined;
  call.closeUpload(response);
  remember(thrown, session.trace);
  remember(response, session.trace);
  return thrown;
}
