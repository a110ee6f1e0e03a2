import type { Policy } from '@ebb/core';
import { property, remember, run, type Session, startSession } from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { adapterOf } from './adapter.ts';
import { type AxiosCopy, copyOf, needCopy } from './axios-copy.ts';
import type { FactoryBody } from './body/factory-body.ts';
import { Call, isUnderWay } from './call.ts';
import { asCanceled } from './cancel.ts';
import { checkShared } from './check-copies.ts';
import { type MarkedConfig, outerLayerOf } from './layer-mark.ts';

/** What the interceptor keeps for each request. */
export interface Interception {
  readonly policy: Policy;
  /** The axios module that the user passed to the interceptor. */
  readonly given: AxiosCopy | undefined;
  /** There if `data` is a function. */
  readonly factory: FactoryBody | undefined;
}

/** Sends a request as often as its policy says. The config names the adapter that sends one attempt. */
export function send(
  config: InternalAxiosRequestConfig,
  { policy, given, factory }: Interception,
): Promise<AxiosResponse> {
  const copy = copyOf(config, given);
  const adapter = typeof config.adapter === 'function' ? config.adapter : adapterOf(needCopy(copy), config);
  // An adapter that sends through another instance with the same interceptor.
  if (isUnderWay(policy, config)) return adapter(config);

  const { ebb } = config;
  const call = new Call(config, { policy, adapter, copy, factory });
  const session = startSession(policy, call.traits, ebb, outerLayerOf(config as MarkedConfig));
  if (session === undefined) return sendWithoutEbb(config, adapter);
  if (ebb) checkShared(ebb);
  call.begin();
  return settle(call, session);
}

/** The layers below may have ebb; `false` was meant for this one. */
function sendWithoutEbb(config: InternalAxiosRequestConfig, adapter: AxiosAdapter): Promise<AxiosResponse> {
  delete config.ebb;
  return adapter(config).finally(() => {
    config.ebb = false;
  });
}

async function settle(call: Call, session: Session): Promise<AxiosResponse> {
  const { signal } = call;
  let response: AxiosResponse;
  try {
    response = await run(session, call, signal);
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
  remember(thrown, session.history);
  remember(response, session.history);
  return thrown;
}
