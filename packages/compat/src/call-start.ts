import type { Plugin, RequestTraits } from '@ebb/core';
import { type CallPolicy, devText, property } from '@ebb/core/internal';

/** The state of a call since its start. */
interface CallStart {
  readonly policy: CallPolicy;
  readonly atMs: number;
  /** The `timeout` of the request, if it is one of axios. */
  readonly timeoutMs: number;
  /** The library's delay before the next attempt, in milliseconds. */
  delayMs?: number;
}

const begun = /* @__PURE__ */ new WeakMap<RequestTraits, CallStart>();

/** The config of a request of axios: `AxiosRequest` has it. */
export function configOf(request: RequestTraits): Record<string, unknown> | undefined {
  return property(request, 'config') as Record<string, unknown> | undefined;
}

/** Remembers when a call has begun, which neither `classify` nor `backoff` know. */
export const remembering: Plugin = {
  name: 'like',
  started({ policy, request }) {
    const timeoutMs = Number(configOf(request)?.timeout) || 0;
    begun.set(request, { policy, atMs: policy.clock.now(), timeoutMs });
  },
};

/** @throws TypeError if the options have other `plugins` */
export function callStartOf(request: RequestTraits): CallStart {
  const call = begun.get(request);
  if (call === undefined)
    throw new TypeError(devText('plugins lack what the options of this library bring: add it to theirs'));
  return call;
}

/** How long a call goes on, in milliseconds. */
export function elapsedMs({ policy, atMs }: CallStart): number {
  return policy.clock.now() - atMs;
}
