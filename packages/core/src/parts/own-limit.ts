import { devText } from '#dev-text';
import { having, wrongType } from '../base/check.ts';
import { HookError, isPromise } from '../base/errors.ts';
import { bring } from '../call/permits.ts';
import { SKIP, SKIP_AND_END } from '../call/skip.ts';
import type { Outcome } from '../http/outcome.ts';
import type { StopReason } from '../news/events.ts';
import type { PartCall } from '../policy/call-view.ts';
import type { Limit, Permit, Skip, Wait } from '../policy/limit.ts';
import type { Part } from '../policy/part.ts';

const takes = /* @__PURE__ */ having('a limit', 'take');

/**
 * A limit of your own, for `use` of a policy, with the code by which attempts take its permits. It is asked before all other limits, in
 * the order of `use`, and by the outermost of nested clients alone unless it is `isForInner`. A call ends with a `HookError` if a method
 * returns something else than its type says, such as a promise.
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
    isForInner: own.isForInner === true,
    started: (call) => own.started?.(call),
    take: (call, earlier) => {
      const given = earlier instanceof OwnPermit ? earlier.own : earlier;
      return checkTaken(call, own.take?.(call, given));
    },
    planRetry: (call, retry) => checkPlanned(own.planRetry?.(call, retry)),
    ended: (call, reason) => own.ended?.(call, reason),
    whenBodyEnds: own.whenBodyEnds,
  };
  return { name: own.name, place: 'throttle', limit: bring(checked), begin: () => undefined };
}

/** A permit of a limit of your own. One with `release` is held until the body of the response has ended. */
class OwnPermit implements Permit {
  readonly own: Permit;
  readonly #call: PartCall;

  constructor(own: Permit, call: PartCall) {
    this.own = own;
    this.#call = call;
    if (own.release) call.bodyHolder ??= own;
  }

  get waitedMs(): number | undefined {
    return this.own.waitedMs;
  }

  get isPartial(): boolean {
    return this.own.isPartial === true;
  }

  cancel(): void {
    this.#leave();
    this.own.cancel();
  }

  lapse(): void {
    this.own.lapse?.();
  }

  settle(outcome: Outcome): void {
    this.own.settle?.(outcome);
  }

  release(once?: Promise<void>): void {
    this.#leave();
    this.own.release?.(once);
  }

  ended(reason: StopReason): void {
    this.own.ended?.(reason);
  }

  #leave(): void {
    if (this.#call.bodyHolder === this.own) this.#call.bodyHolder = undefined;
  }
}

function isPermit(value: unknown): value is Permit {
  return typeof (Object(value) as Partial<Permit>).cancel === 'function';
}

function wrong(method: string, takes: string | undefined, value: unknown): HookError {
  // Nobody needs its rejection.
  if (isPromise(value)) Promise.resolve(value).catch(() => undefined);
  return new HookError('use', wrongType(`the result of ${method}`, takes, value));
}

function checkTaken(
  call: PartCall,
  taken: Permit | Wait | Skip | undefined,
): Permit | Wait | Skip | undefined {
  const { acquire, isForSlot = false, skip }: Partial<Wait & Skip> = Object(taken);
  if (typeof acquire === 'function')
    return { isForSlot, acquire: (options) => brought(call, (taken as Wait).acquire(options)) };
  if (skip === true) return (taken as Skip).isLast ? SKIP_AND_END : SKIP;
  if (taken === undefined) return taken;
  if (isPermit(taken)) return new OwnPermit(taken, call);
  throw wrong('take', devText('a permit, a wait, { skip: true }, or undefined'), taken);
}

async function brought(call: PartCall, waiting: Promise<Permit>): Promise<Permit> {
  const permit: unknown = await waiting;
  if (isPermit(permit)) return new OwnPermit(permit, call);
  throw wrong('acquire', devText('a promise of a permit'), permit);
}

function checkPlanned(planned: ReturnType<NonNullable<Limit['planRetry']>>): typeof planned {
  if (planned === undefined || typeof planned === 'string' || isPermit(planned)) return planned;
  throw wrong('planRetry', devText('a permit, a reason, or undefined'), planned);
}
