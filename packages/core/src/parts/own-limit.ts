import { devText } from '#dev-text';
import { having, wrongType } from '../base/check.ts';
import { HookError, isPromise } from '../base/errors.ts';
import { bring } from '../call/permits.ts';
import { SKIP, SKIP_AND_END } from '../call/skip.ts';
import type { Limit, Permit, Skip, Wait } from '../policy/limit.ts';
import type { Part } from '../policy/part.ts';

const takes = /* @__PURE__ */ having('a limit', 'take');

/**
 * A limit of your own, for `use` of a policy, with the code by which attempts take its permits. It is asked before all other limits, in
 * the order of `use`, and by the outermost of nested clients alone. A call ends with a `HookError` if a method returns something else
 * than its type says, such as a promise.
 *
 * @throws TypeError unless it has `take`
 * @example
 * ```ts
 * import { createPolicy, limit } from '@ebb/core';
 *
 * let left = 100;
 * const hundred = {
 *   name: 'hundred',
 *   take() {
 *     if (left === 0) throw new Error('All are used up');
 *     left -= 1;
 *     return { cancel: () => void (left += 1) };
 *   },
 * };
 * const policy = createPolicy({ use: [limit(hundred)] });
 * ```
 */
export function limit(own: Limit): Part {
  takes('limit', own);
  const checked: Limit = {
    name: own.name,
    started: (call) => own.started?.(call),
    take: (call, earlier) => checkTaken(own.take?.(call, earlier)),
    planRetry: (call, retry) => checkPlanned(own.planRetry?.(call, retry)),
    ended: (call, reason) => own.ended?.(call, reason),
    whenBodyEnds: own.whenBodyEnds,
  };
  return { name: own.name, place: 'throttle', limit: bring(checked), begin: () => undefined };
}

function isPermit(value: unknown): value is Permit {
  return typeof (Object(value) as Partial<Permit>).cancel === 'function';
}

function wrong(method: string, takes: string | undefined, value: unknown): HookError {
  // What it rejects with is of no use.
  if (isPromise(value)) Promise.resolve(value).catch(() => undefined);
  return new HookError('use', wrongType(`the result of ${method}`, takes, value));
}

function checkTaken(taken: Permit | Wait | Skip | undefined): Permit | Wait | Skip | undefined {
  const { acquire, isForSlot = false, skip }: Partial<Wait & Skip> = Object(taken);
  if (typeof acquire === 'function')
    return { isForSlot, acquire: (options) => brought((taken as Wait).acquire(options)) };
  if (skip === true) return (taken as Skip).isLast ? SKIP_AND_END : SKIP;
  if (taken === undefined || isPermit(taken)) return taken;
  throw wrong('take', devText('a permit, a wait, { skip: true }, or undefined'), taken);
}

async function brought(waiting: Promise<Permit>): Promise<Permit> {
  const permit: unknown = await waiting;
  if (isPermit(permit)) return permit;
  throw wrong('acquire', devText('a promise of a permit'), permit);
}

function checkPlanned(planned: ReturnType<NonNullable<Limit['planRetry']>>): typeof planned {
  if (planned === undefined || typeof planned === 'string' || isPermit(planned)) return planned;
  throw wrong('planRetry', devText('a permit, a reason, or undefined'), planned);
}
