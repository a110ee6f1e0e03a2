import type { Policy } from '@ebb/core';
import { areLayered, property, remember, run, type Session, startSession } from '@ebb/core/adapter';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type Chosen, routeOf } from './adapter.ts';
import { type AxiosCopy, checkShared, copyOf } from './axios-copy.ts';
import type { FactoryBody } from './body/factory-body.ts';
import { requestBody } from './body/request-body.ts';
import { Call, callOf } from './call.ts';
import { asCanceled, callerSignal } from './cancel.ts';
import { outerLayerOf } from './config-changes.ts';

/**
 * Sends a request as often as its policy says.
 *
 * @param chosen what the config names as its adapter, which sends one attempt
 * @param policy the interceptor's, without the options of the request
 * @param given the axios module that the user passed to the interceptor
 * @param factory there if `data` is a function
 */
export function send(
  config: InternalAxiosRequestConfig,
  chosen: Chosen,
  policy: Policy,
  given: AxiosCopy | undefined,
  factory: FactoryBody | undefined,
): Promise<AxiosResponse> {
  const copy = copyOf(config, given);
  const route = routeOf(copy, chosen, config);
  const outer = callOf(config);
  // An adapter that sends through another instance with the same interceptor.
  if (outer?.policy === policy) return route.adapter(config);

  const { ebb } = config;
  if (ebb) checkShared(ebb);
  const call = new Call(config, requestBody(config.data, factory), policy, copy, route, outer);
  const carried = areLayered() ? outerLayerOf(config) : undefined;
  const session = startSession(policy, call, ebb, carried, route.way);
  if (session === undefined) {
    // The layers below may have ebb; `false` was meant for this one.
    delete config.ebb;
    return route.adapter(config).finally(() => {
      config.ebb = false;
    });
  }
  const caller = callerSignal(config);
  call.begin(session, caller, carried !== undefined);
  const sent = run(session, call, caller?.signal);
  // Most requests have nothing to do at their end, and save a promise.
  return caller === undefined && factory === undefined ? sent : settle(sent, call, session);
}

/** Ends a request that can be canceled, or whose body is made for each attempt. */
async function settle(sent: Promise<AxiosResponse>, call: Call, session: Session): Promise<AxiosResponse> {
  const { signal, config, copy } = call;
  try {
    const response = await sent;
    // axios would throw a CanceledError of its own now, which has no history.
    if (signal?.aborted) throw signal.reason;
    call.end();
    if (response.status >= 400) call.closeUpload(response);
    return response;
  } catch (error) {
    call.end();
    const thrown = asCanceled(error, signal, config, copy);
    const response = property(thrown, 'response') as AxiosResponse | undefined;
    call.closeUpload(response);
    remember(thrown, session.trace);
    remember(response, session.trace);
    throw thrown;
  }
}
