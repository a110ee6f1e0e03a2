import type { PolicyOptions } from '@ebb/core';
import {
  type Call,
  countClient,
  createPolicy,
  property,
  run,
  setHistory,
  startCall,
} from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { mayBeSentAtOnce, sendAtOnce } from '#platform';
import { type AxiosModule, adapterOf, checkCopy } from './axios-copy.ts';
import { AxiosRequest, type Route } from './axios-request.ts';
import { callerSignal } from './cancel.ts';
import { type Config, checkShared, takeMark } from './config.ts';
import { FactoryBody } from './request-body.ts';

/** A request interceptor, as `axios.interceptors.request.use` takes it. */
export type EbbInterceptor = (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig;

/** Marks ebb's adapters, including those of another copy of this package. */
const IS_EBB: unique symbol = Symbol.for('@ebb/axios adapter');

interface EbbAdapter extends AxiosAdapter {
  [IS_EBB]?: true;
}

/**
 * A response interceptor gets a response or an error, and could only do nothing. axios gives every request a method.
 *
 * @throws TypeError if that is what ebb got
 */
function checkUse(value: unknown): void {
  const { method, url, status, config } = value as Readonly<Record<string, unknown>>;
  if (method !== undefined || url !== undefined) return;
  if (value instanceof Error || (typeof status === 'number' && config)) {
    throw new TypeError(
      'ebbInterceptor: use it as a request interceptor: axios.interceptors.request.use(ebbInterceptor(policy))',
    );
  }
}

/**
 * Returns a request interceptor that sends each request when the policy allows it, and again after a retryable failure. The interceptor
 * wraps the request's adapter, so interceptors and transforms run once for all attempts. The caller gets the response or error of the last
 * attempt, unchanged.
 *
 * Several ebb interceptors on one instance do not multiply retries: the first to run retries, and the others do nothing. axios runs the
 * last interceptor that was added first, unless `transitional.legacyInterceptorReqResOrdering` is off.
 *
 * The request itself rejects with a `NotSentError` if its bucket or limit refuses the first attempt, a `HookError`
 * if a function in the policy throws, and a `TypeError` or `RangeError` for invalid options under `ebb`.
 *
 * @param policyOrOptions a policy, which other clients may share, or the options of a new one; by default a policy
 *   with all defaults
 * @param axios the copy of axios that resolves adapters by name and makes axios's errors; by default the copy imported by this package,
 *   with one warning if an instance belongs to another copy
 * @throws TypeError for an option that does not exist or is of the wrong type, and unless `axios` is the module
 * @throws RangeError for an option out of its range
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import axios from 'axios';
 *
 * const client = axios.create({ baseURL: 'https://api.example.com' });
 * client.interceptors.request.use(ebbInterceptor({ maxRetries: 3 }));
 *
 * const { data } = await client.get('/items', { ebb: { attemptTimeoutMs: 2_000 } });
 * ```
 */
export function ebbInterceptor(policyOrOptions: PolicyOptions = {}, axios?: AxiosModule): EbbInterceptor {
  const policy = createPolicy(policyOrOptions);
  const given = checkCopy(axios);
  /** The route of the last request, kept because most requests go through one adapter. */
  let route: Route | undefined;
  function ebb(config: InternalAxiosRequestConfig): InternalAxiosRequestConfig {
    checkUse(config);
    const chosen = config.adapter;
    const isCustom = typeof chosen === 'function';
    const isWrapped = isCustom && IS_EBB in chosen;
    // A custom adapter may lead to another ebb layer, which must not see this `false`: see `send`.
    const isOff = config.ebb === false && !isCustom;
    if (isOff || isWrapped) return config;

    const factory = typeof config.data === 'function' ? new FactoryBody(config) : undefined;
    const adapter: EbbAdapter = (merged) => {
      // So that the config in a response or an error can be sent again, and does not wrap the adapter twice.
      if (chosen === undefined) delete merged.adapter;
      else merged.adapter = chosen;
      factory?.restoreTransforms(merged);
      const found = adapterOf(given, chosen, merged);
      if (route?.adapter !== found.adapter || route.way !== found.way) route = { policy, given, ...found };
      return send(merged, route, factory);
    };
    adapter[IS_EBB] = true;
    config.adapter = adapter;
    return config;
  }
  countClient();
  return ebb;
}

/**
 * Sends a request as often as its policy says.
 *
 * @param factory there if `data` is a function
 */
function send(config: Config, route: Route, factory: FactoryBody | undefined): Promise<AxiosResponse> {
  const { policy, way } = route;
  const { ebb, data, params } = config;
  // axios has copied the headers, and plain objects. It reads these anew for each attempt.
  if (params instanceof URLSearchParams) config.params = new URLSearchParams(params);
  if (ebb === false) {
    // The layers below may have ebb; `false` was meant for this one.
    delete config.ebb;
    return route.adapter(config).finally(() => {
      config.ebb = false;
    });
  }
  const carried = takeMark(config);
  // Nothing ends such a call early, and its data can be sent again.
  if (
    sendAtOnce &&
    mayBeSentAtOnce &&
    ebb === undefined &&
    !config.signal &&
    !config.cancelToken &&
    (typeof data === 'string' || data == null) &&
    mayBeSentAtOnce(policy, way)
  ) {
    const headers = { ...config.headers };
    const make = (): AxiosRequest => new AxiosRequest(route, config, undefined, headers);
    return sendAtOnce(policy, way, () => route.adapter(config), make);
  }
  if (ebb) checkShared(ebb);
  const request = new AxiosRequest(route, config, factory);
  const call = startCall(policy, request, ebb, carried, way);
  const caller = callerSignal(config);
  request.begin(call, caller);
  const sent = run(call, request, caller?.signal);
  // Most requests have nothing to do at their end, and save a promise.
  return caller || factory ? settle(sent, request, call) : sent;
}

/** Ends a request that can be canceled, or whose body is made for each attempt. */
async function settle(
  sent: Promise<AxiosResponse>,
  request: AxiosRequest,
  call: Call,
): Promise<AxiosResponse> {
  const { signal } = request;
  try {
    const response = await sent;
    // axios would throw a CanceledError of its own now, which has no history.
    if (signal?.aborted) throw signal.reason;
    request.end(response);
    if (response.status >= 400) request.closeUpload(response);
    return response;
  } catch (error) {
    request.end();
    const thrown = request.canceled(error);
    request.closeUpload(property(thrown, 'response') as AxiosResponse | undefined);
    setHistory(thrown, call.historyRecord);
    throw thrown;
  }
}
