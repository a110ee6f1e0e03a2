import { type Call, LAYER, layerOf, namedTimeoutOf, sending, timeoutOf } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { Attempt } from './attempt.ts';
import type { RequestBody } from './body/request-body.ts';
import type { Composition } from './composition.ts';
import { changedHeaders } from './header-changes.ts';

/** What is dispatched. */
interface Dispatched {
  readonly composition: Composition;
  readonly options: Dispatcher.DispatchOptions;
  readonly body: RequestBody | undefined;
}

/** Dispatches an attempt, with its own body and headers. @throws what the dispatcher throws */
export function dispatchAttempt(
  { options, body, composition }: Dispatched,
  call: Call | undefined,
  attempt: Attempt,
): boolean {
  const timeoutMs = call && timeoutOf(call);
  if (call && timeoutMs !== undefined) attempt.limit(call.policy.clock, timeoutMs, namedTimeoutOf(call));
  let changes = body?.take?.();
  const ofHooks = call?.headerChanges;
  if (ofHooks !== undefined) changes = { ...changes, headers: changedHeaders(options.headers, ofHooks) };
  if (changes !== undefined) attempt.reads(body, changes);
  const layer = call && layerOf(call);
  if (call === undefined || layer === undefined)
    return composition.dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
  // Interceptors pass unknown options on, and undici does not send them.
  const layered = { ...options, ...changes, [LAYER]: layer };
  return sending(call, composition.dispatch.bind(undefined, layered, attempt));
}
