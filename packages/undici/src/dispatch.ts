import { type Call, LAYER, layerOf, namedTimeoutOf, sending, timeoutOf } from '@ebb/core/adapter';
import type { Attempt } from './attempt.ts';
import { changedHeaders } from './header-changes.ts';
import type { UndiciRequest } from './undici-request.ts';

/** Dispatches an attempt, with its own body and headers. @throws what the dispatcher throws */
export function dispatchAttempt(
  { options, body, composition }: UndiciRequest,
  call: Call | undefined,
  attempt: Attempt,
): boolean {
  const timeoutMs = call && timeoutOf(call);
  if (timeoutMs !== undefined)
    attempt.limit((call as Call).policy.clock, timeoutMs, namedTimeoutOf(call as Call));
  let changes = body?.take?.();
  const ofHooks = call?.headerChanges;
  if (ofHooks !== undefined) changes = { ...changes, headers: changedHeaders(options.headers, ofHooks) };
  if (changes !== undefined) attempt.reads(body, changes);
  const layer = call && layerOf(call);
  if (layer === undefined)
    return composition.dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
  // Interceptors pass unknown options on, and undici does not send them.
  const layered = { ...options, ...changes, [LAYER]: layer };
  return sending(call as Call, composition.dispatch.bind(undefined, layered, attempt));
}
