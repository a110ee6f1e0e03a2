import type { Policy, RequestTraits } from '@ebb/core';
import {
  AroundCalls,
  goOnAfter,
  isSuccess,
  mayNest,
  runWithin,
  type Transport,
  type Way,
} from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';

/**
 * The shortcut of a request that needs nothing before its first failure.
 *
 * @param make makes the request, which sends itself
 */
export function sendAtOnce(
  policy: Policy,
  way: Way,
  send: () => Promise<AxiosResponse>,
  make: () => RequestTraits & Transport<AxiosResponse>,
): Promise<AxiosResponse> {
  const outer = mayNest(way) ? new AroundCalls(make) : undefined;
  let sent: Promise<AxiosResponse>;
  try {
    // An adapter of the user may return something else than a promise.
    sent = Promise.resolve(outer ? runWithin(outer, send) : send());
  } catch (error) {
    sent = Promise.reject(error);
  }
  return sent.then(
    (response) => (isSuccess(response, outer) ? response : goOnAfter(policy, way, make(), response, outer)),
    (error: unknown) => goOnAfter(policy, way, make(), error, outer, true),
  );
}
