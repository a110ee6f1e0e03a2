import type { Policy } from '@ebb/core';
import { areLayered, type Call, property, remember, run, startCall } from '@ebb/core/adapter';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { type Chosen, routeOf } from './adapter.ts';
import { type AxiosCopy, checkShared, copyOf } from './axios-copy.ts';
import { AxiosRequest, requestOf } from './axios-request.ts';
import type { FactoryBody } from './body/factory-body.ts';
import { requestBody } from './body/request-body.ts';
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
  const outer = requestOf(config);
  // An adapter that sends through another instance with the same interceptor.
  if (outer?.policy === policy) return route.adapter(config);

  const { ebb } = config;
  if (ebb === false) {
    // The layers below may have ebb; `false` was meant for this one.
    delete config.ebb;
    return route.adapter(config).finally(() => {
      config.ebb = false;
    });
  }
  if (ebb) checkShared(ebb);
  const request = new AxiosRequest(config, requestBody(config.data, factory), policy, copy, route, outer);
  const carried = areLayered() ? outerLayerOf(config) : undefined;
  const call = startCall(policy, request, ebb, carried, route.way);
  const caller = callerSignal(config);
  request.begin(call, caller, carried !== undefined);
  const sent = run(call, request, caller?.signal);
  // Most requests have nothing to do at their end, and save a promise.
  return caller === undefined && factory === undefined ? sent : settle(sent, request, call);
}

/** Ends a request that can be canceled, or whose body is made for each attempt. */
async function settle(
  sent: Promise<AxiosResponse>,
  request: AxiosRequest,
  call: Call,
): Promise<AxiosResponse> {
  const { signal, config, copy } = request;
  try {
    const response = await sent;
    // axios would throw a CanceledError of its own now, which has no history.
    if (signal?.aborted) throw signal.reason;
    request.end();
    if (response.status >= 400) request.closeUpload(response);
    return response;
  } catch (error) {
    request.end();
    const thrown = asCanceled(error, signal, config, copy);
    const response = property(thrown, 'response') as AxiosResponse | undefined;
    request.closeUpload(response);
    remember(thrown, call.trace);
    remember(response, call.trace);
    throw thrown;
  }
}
