import { createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import { countLayer, property, remember, run, type Session, startSession } from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { adapterOf } from './adapter.ts';
import { type AxiosModule, type Copy, checkCopy, copyOf, needCopy } from './axios-copy.ts';
import { MadeBody } from './body/factory-body.ts';
import { Call } from './call.ts';
import { asCanceled } from './cancel.ts';
import { checkShared } from './check-copies.ts';
import { carriedBy, type MarkedConfig } from './layer-mark.ts';

/** What `axios.interceptors.request.use` takes. */
export type EbbInterceptor = (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig;

/** Marks an adapter of ours, whichever copy of this package it comes from. */
const OURS: unique symbol = Symbol.for('@ebb/axios adapter');
/** Where a config holds the call that is under way with it. A copy of the config holds it, too. */
const CALL: unique symbol = Symbol.for('@ebb/axios call');

interface EbbAdapter extends AxiosAdapter {
  [OURS]?: true;
}

type CallConfig = InternalAxiosRequestConfig & { [CALL]?: Call };

/**
 * A request interceptor that has each request sent when the policy allows it, and again when that helps. It
 * wraps the request's adapter, so that interceptors and transforms run once.
 *
 * Of several on one instance the one that axios runs first holds, and the others step aside; axios runs the
 * one that was added last first, unless `transitional.legacyInterceptorReqResOrdering` is off.
 *
 * @param policyOrOptions a policy to share with other clients, or the options of one
 * @param axios the axios module that the instance is of; to be given if it is another copy than the one that
 *   this package loads, and was not loaded by `require`
 * @throws TypeError, RangeError for wrong options
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
  countLayer();
  return function ebb(config) {
    const chosen = config.adapter;
    const isOurs = typeof chosen === 'function' && (chosen as EbbAdapter)[OURS] === true;
    // A client of the caller's own below must not see that it is off for this one.
    const isOff = config.ebb === false && typeof chosen !== 'function';
    if (isOff || isOurs) return config;
    const made = typeof config.data === 'function' ? new MadeBody(config) : undefined;
    const adapter: EbbAdapter = (flat) => {
      restoreAdapter(flat, chosen);
      made?.restoreTransforms(flat);
      return sendBy(policy, given, flat, made);
    };
    adapter[OURS] = true;
    config.adapter = adapter;
    return config;
  };
}

/** The config that the caller meets again in a response or an error can be sent again, and nests nothing. */
function restoreAdapter(
  config: InternalAxiosRequestConfig,
  chosen: InternalAxiosRequestConfig['adapter'],
): void {
  if (chosen === undefined) delete config.adapter;
  else config.adapter = chosen;
}

function sendBy(
  policy: Policy,
  given: Copy | undefined,
  config: CallConfig,
  made: MadeBody | undefined,
): Promise<AxiosResponse> {
  const copy = copyOf(config, given);
  const send = typeof config.adapter === 'function' ? config.adapter : adapterOf(needCopy(copy), config);
  const around = config[CALL];
  // The same interceptor around the same request, by an adapter that sends through another instance.
  if (around?.underWay === true && around.policy === policy) return send(config);
  const call = new Call(policy, send, copy, config, made);
  const { ebb } = config;
  const session = startSession(policy, call, ebb, carriedBy(config as MarkedConfig));
  if (session === undefined) return sendBare(send, config);
  if (ebb) checkShared(ebb);
  config[CALL] = call;
  const end = (): void => {
    call.end();
    if (around === undefined) delete config[CALL];
    else config[CALL] = around;
  };
  return settle(session, call, copy, end);
}

function sendBare(send: AxiosAdapter, config: InternalAxiosRequestConfig): Promise<AxiosResponse> {
  delete config.ebb;
  return send(config).finally(() => {
    config.ebb = false;
  });
}

function settle(
  session: Session,
  call: Call,
  copy: Copy | undefined,
  end: () => void,
): Promise<AxiosResponse> {
  const { signal, config } = call;
  const fail = (error: unknown): never => {
    end();
    const told = asCanceled(error, signal, config, copy);
    const response = property(told, 'response') as AxiosResponse | undefined;
    call.closeUpload(response);
    remember(told, session.history);
    remember(response, session.history);
    throw told;
  };
  return run(session, call, signal).then((response) => {
    // axios itself would make a CanceledError of it, which knew nothing of its history.
    if (signal?.aborted) return fail(signal.reason);
    end();
    if (response.status >= 400) call.closeUpload(response);
    return response;
  }, fail);
}
