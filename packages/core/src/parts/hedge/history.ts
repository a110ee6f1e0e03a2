import { property } from '../../base/errors.ts';
import { type Attempt, type HedgeRecord, attemptsOf as withoutHedges } from '../../loop/history.ts';

/** Where a result has the hedges of its last attempt. Known to all copies of this package in a program. */
export const HEDGE_RECORDS: unique symbol = Symbol.for('@ebb/core hedge records');

interface Noted {
  readonly [HEDGE_RECORDS]?: readonly HedgeRecord[];
}

/** @param result a response or an error; anything else, and a frozen one, has no history */
export function noteHedges(result: unknown, records: readonly HedgeRecord[]): void {
  if (records.length === 0) return;
  try {
    // Not enumerable: copies, logs and JSON leave it out.
    Reflect.defineProperty(Object(result), HEDGE_RECORDS, { value: records });
  } catch {
    // A `Proxy` may do anything.
  }
}

/**
 * The attempts that led to a response or an error of an ebb client; empty for anything else. The last one has its `hedges`, if some
 * were sent.
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
  const attempts = withoutHedges(result);
  const last = attempts.at(-1);
  const hedges = property(result, HEDGE_RECORDS) as Noted[typeof HEDGE_RECORDS];
  return last && hedges ? [...attempts.slice(0, -1), { ...last, hedges }] : attempts;
}
