import { begin, createPolicy, type Policy, type PolicyOptions, remember, run, type Session } from '@ebb/core';
// At run time axios itself is needed to resolve the names of its adapters, to make its own CanceledError and
// timeout error, and to put a URL together as it does.
import axios, {
  type AxiosAdapter,
  type AxiosError,
  type AxiosResponse,
  type InternalAxiosRequestConfig,
} from 'axios';
import { Call } from './call.ts';
import { asCanceled } from './cancel.ts';
import { MadeBody } from './made-body.ts';
import { checkShared } from './shared.ts';

/** What `axios.interceptors.request.use` takes. */
export type EbbInterceptor = (config: InternalAxiosRequestConfig) => InternalAxiosRequestConfig;

/** Marks an adapter of ours, whichever copy of this package it comes from. */
const OURS: unique symbol = Symbol.for('@ebb/axios adapter');
/** Where a config holds the call that is under way with it. A copy of the config holds it, too. */
const CALL: unique symbol = Symbol.for('@ebb/axios call');

interface EbbAdapter extends AxiosAdapter {
  [OURS]?: true;
}

interface MarkedConfig extends InternalAxiosRequestConfig {
  [CALL]?: Call;
}

/** Whether the config is being sent by an ebb loop right now: then there must not be another inside. */
function isUnderWay(config: MarkedConfig): boolean {
  return config[CALL]?.underWay === true;
}

/**
 * A request interceptor that has each request sent when the policy allows it, and again when that helps. It
 * wraps the request's adapter, so that interceptors and transforms run once.
 *
 * Of several on one instance the one that axios runs first holds, and the others step aside; axios runs the
 * one that was added last first, unless `transitional.legacyInterceptorReqResOrdering` is off.
 *
 * @param policyOrOptions a policy to share with other clients, or the options of one
 * @throws TypeError, RangeError for wrong options
 */
export function ebbInterceptor(policyOrOptions: Policy | PolicyOptions = {}): EbbInterceptor {
  const policy = createPolicy(policyOrOptions);
  return function ebb(config) {
    const chosen = config.adapter;
    const isOurs = typeof chosen === 'function' && (chosen as EbbAdapter)[OURS] === true;
    if (config.ebb === false || isOurs) return config;
    const made = typeof config.data === 'function' ? new MadeBody(config) : undefined;
    const adapter: EbbAdapter = (flat) => {
      restoreAdapter(flat, chosen);
      made?.restoreTransforms(flat);
      return sendBy(policy, flat, made);
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

function sendBy(policy: Policy, config: MarkedConfig, made: MadeBody | undefined): Promise<AxiosResponse> {
  const send = axios.getAdapter(config.adapter ?? axios.defaults.adapter, config);
  if (isUnderWay(config)) return send(config);
  const call = new Call(send, config, made);
  const session = begin(policy, call, config.ebb);
  if (session === undefined) return send(config);
  if (config.ebb) checkShared(config.ebb);
  config[CALL] = call;
  return settle(session, call, config);
}

function settle(session: Session, call: Call, config: MarkedConfig): Promise<AxiosResponse> {
  return run(session, call, call.signal).then(
    (response) => {
      call.end();
      delete config[CALL];
      return response;
    },
    (error) => {
      call.end();
      delete config[CALL];
      const told = asCanceled(error, call.signal, config);
      const response = (told as AxiosError | undefined)?.response;
      // A response may have come before the body was read to its end; without one nobody reads on.
      if (response === undefined) call.releaseBody();
      remember(told, session.history);
      remember(response, session.history);
      throw told;
    },
  );
}
