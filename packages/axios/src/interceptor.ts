import type { Policy, PolicyOptions } from '@ebb/core';
import { countLayer, createPolicy } from '@ebb/core/adapter';
import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import { type AxiosModule, checkCopy } from './axios-copy.ts';
import { FactoryBody } from './body/factory-body.ts';
import { send } from './send.ts';

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
  const fields = value as Readonly<Record<string, unknown>>;
  if (fields.method !== undefined || fields.url !== undefined) return;
  const { status, config } = fields;
  if (
    value instanceof Error ||
    (typeof status === 'number' && typeof config === 'object' && config !== null)
  ) {
    throw new TypeError(
      'ebbInterceptor: use it as a request interceptor: axios.interceptors.request.use(ebbInterceptor(policy))',
    );
  }
}

/**
 * Returns a request interceptor that retries: it sends each request when the policy allows it, and again after a
 * failure that a retry can cure. It wraps the request's adapter, so interceptors and transforms run once for all
 * attempts. The caller gets the response or error of the last attempt, unchanged.
 *
 * Several ebb interceptors on one instance do not multiply: the one that axios runs first retries and the others do
 * nothing. axios runs the one that was added last first, unless `transitional.legacyInterceptorReqResOrdering` is off.
 *
 * The request itself rejects with a `ThrottledError` if its bucket or limit refuses the first attempt, a `HookError`
 * if a function in the policy throws, and a `TypeError` or `RangeError` for invalid options under `ebb`.
 *
 * @param policyOrOptions a policy, which other clients may share, or the options of a new one; by default a policy
 *   with all defaults
 * @param axios the copy of axios that resolves adapters by name and makes axios's errors. By default ebb finds the one
 *   that the instance belongs to; if it cannot, as in a bundle, it takes another copy of version 1 and warns once
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
export function ebbInterceptor(
  policyOrOptions: Policy | PolicyOptions = {},
  axios?: AxiosModule,
): EbbInterceptor {
  const policy = createPolicy(policyOrOptions);
  const given = checkCopy(axios);
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
      restoreAdapter(merged, chosen);
      factory?.restoreTransforms(merged);
      return send(merged, chosen, policy, given, factory);
    };
    adapter[IS_EBB] = true;
    config.adapter = adapter;
    return config;
  }
  countLayer();
  return ebb;
}

/** So that the config in a response or an error can be sent again, and does not wrap the adapter twice. */
function restoreAdapter(
  config: InternalAxiosRequestConfig,
  chosen: InternalAxiosRequestConfig['adapter'],
): void {
  if (chosen === undefined) delete config.adapter;
  else config.adapter = chosen;
}
