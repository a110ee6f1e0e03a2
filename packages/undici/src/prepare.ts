import type { HeaderChanges } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { DispatchChanges, RequestBody } from './body/request-body.ts';
import { changedHeaders } from './header-changes.ts';

/** Options that an attempt has in place of the request's own; `undefined` for none. */
export type Prepared = DispatchChanges | undefined | Promise<DispatchChanges | undefined>;

interface Preparing {
  readonly over: boolean;
}

/**
 * What the next attempt has in place of the request's own options: its headers, if the policy changes them, and its body, if
 * it needs help.
 *
 * @param attempt if it is over before its headers are known, no body is made
 * @throws HookError, at once or as a rejection, if a hook or a body factory fails
 */
export function prepare(
  session: Session,
  options: Dispatcher.DispatchOptions,
  body: RequestBody | undefined,
  attempt: Preparing,
): Prepared {
  const made = session.headerChanges();
  return made === undefined ? body?.take() : withHeaders(made, options, body, attempt);
}

/** A function of its own: its closure is allocated as soon as it is called. */
function withHeaders(
  made: HeaderChanges | Promise<HeaderChanges | undefined>,
  { headers }: Dispatcher.DispatchOptions,
  body: RequestBody | undefined,
  attempt: Preparing,
): Prepared {
  const join = (changes: HeaderChanges | undefined): Prepared => {
    if (attempt.over) return undefined;
    const taken = body?.take();
    if (changes === undefined) return taken;
    const own = { headers: changedHeaders(headers, changes) };
    return taken instanceof Promise ? taken.then((later) => ({ ...later, ...own })) : { ...taken, ...own };
  };
  return made instanceof Promise ? made.then(join) : join(made);
}
