import { property } from '../base/errors.ts';
import type { Attempt, HedgeRecord } from '../events/events.ts';
import { LAYER } from '../nested/outer-call.ts';
import { attemptsOf as noted } from './history.ts';

/** The hedges that a result carries under {@link LAYER}, for the entry of its attempt in the history. */
export interface HedgeNotes {
  /** Left out if no hedge was sent. */
  hedges?: readonly HedgeRecord[];
}

/**
 * The attempts that led to a response or an error of an ebb client, each with its hedges; empty for anything else.
 *
 * @example
 * ```ts
 * import { attemptsOf } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const response = await createFetch()('https://api.example.com/');
 * for (const { attempt, status, reason } of attemptsOf(response)) console.log(attempt, status, reason);
 * ```
 */
export function attemptsOf(result: unknown): readonly Attempt[] {
  const attempts = noted(result);
  const last = attempts.at(-1);
  const { hedges } = (property(result, LAYER) ?? {}) as HedgeNotes;
  // A result that a retry has followed may be the result after all: its entry has them.
  if (last === undefined || hedges === undefined || attempts.some((one) => one.hedges === hedges))
    return attempts;
  return [...attempts.slice(0, -1), { ...last, hedges }];
}
