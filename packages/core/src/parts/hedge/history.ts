import { property } from '../../base/errors.ts';
import { LAYER } from '../../layers/layer.ts';
import { type Attempt, type HedgeRecord, attemptsOf as noted } from '../../loop/history.ts';

/** What a result has for the entry of its attempt, under {@link LAYER}. */
export interface HedgeNotes {
  /** Left out if no hedge was sent. */
  hedges?: readonly HedgeRecord[];
}

/** @param result a response or an error; anything else, and a frozen one, has no history */
export function noteHedges(result: unknown, hedges: readonly HedgeRecord[]): void {
  if (hedges.length === 0) return;
  try {
    // Not enumerable: copies, logs and JSON leave it out.
    Reflect.defineProperty(Object(result), LAYER, { value: { hedges } });
  } catch {
    // A `Proxy` may do anything.
  }
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
