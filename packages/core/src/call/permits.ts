import { devText } from '#dev-text';
import { wrongType } from '../base/check.ts';
import { HookError, isPromise, report, reportRejection } from '../base/errors.ts';
import type { StopReason } from '../events/events.ts';
import type { Outcome } from '../http/outcome.ts';
import type { CallView, PlannedRetry } from '../policy/call-view.ts';
import type { BroughtLimit, Limit, Permit, Skip, Wait } from '../policy/limit.ts';

const NONE: readonly LimitInCall[] = [];

const TAKES = /* @__PURE__ */ devText('a permit, a wait, { skip: true }, or undefined');

/** @throws HookError for a result of a limit of the user's own that is not one of these */
function mustBe(fits: boolean, method: string, takes: string | undefined, value: unknown): void {
  if (fits) return;
  // Nobody needs its rejection.
  if (isPromise(value)) Promise.resolve(value).catch(() => undefined);
  throw new HookError('limits', wrongType(`the result of ${method}`, takes, value));
}

function isPermit(value: unknown): boolean {
  return typeof (Object(value) as Partial<Permit>).cancel === 'function';
}

/** True for a valid result of `take` of a limit. */
function isTaken(value: unknown): boolean {
  const { acquire, skip }: Partial<Wait & Skip> = Object(value);
  return typeof acquire === 'function' || skip === true || isPermit(value);
}

/** The error of a limit that could not settle. */
interface LimitError {
  readonly error: unknown;
}

/** A limit in one call. */
class LimitInCall {
  readonly limit: Limit;
  /** True for one of the user's own: its results are checked. */
  readonly isOwn: boolean;
  /** The permit of the attempt. */
  permit: Permit | undefined;
  // Only calls that wait or retry need these.
  /** Cancelled: the same attempt may still need it. */
  declare earlier?: Permit | undefined;
  /** Taken for a retry that has not been sent. */
  declare planned?: Permit | undefined;

  constructor(limit: Limit, isOwn: boolean) {
    this.limit = limit;
    this.isOwn = isOwn;
  }

  /** Calls a method, if there is one. An error of the method is only reported: something goes back, or the call has ended. */
  tell<Args extends unknown[]>(
    owner: unknown,
    method: ((...args: Args) => unknown) | undefined,
    ...args: Args
  ): void {
    // Not by a function that calls it: such a function takes memory.
    try {
      this.heard(method?.apply(owner, args));
    } catch (error) {
      report(this.limit.name, this.limit, error);
    }
  }

  /** An async method of a limit has returned a promise, which nothing waits for. */
  heard(result: unknown): void {
    if (result !== undefined) reportRejection(this.limit.name, this.limit, result);
  }

  /** The scheduled attempt was sent, or is not sent. Returns the permit of its retry. */
  leave(): Permit | undefined {
    const { earlier, planned } = this;
    if (earlier) {
      this.earlier = undefined;
      this.tell(earlier, earlier.lapse);
    }
    if (planned) this.planned = undefined;
    return planned;
  }

  /** @param before if an error ends the call already, one of this limit is only reported */
  settle(outcome: Outcome, before: LimitError | undefined): LimitError | undefined {
    const planned = this.leave();
    if (planned) this.tell(planned, planned.settle, outcome);
    try {
      this.heard(this.permit?.settle?.(outcome));
    } catch (error) {
      if (!before) return { error };
      report(this.limit.name, this.limit, error);
    }
    return before;
  }

  hold(permit: Permit, call: CallView): void {
    this.permit = permit;
    if (this.earlier) this.earlier = undefined;
    // It is held until the body of the response has ended.
    if (this.isOwn && permit.release) call.bodyHolder ??= permit;
  }
}

/** Something else ends the call, or has ended it. */
const ENDED: LimitError = { error: undefined };

/** The outcome of an attempt that no one here judges. */
const UNJUDGED: Outcome = { type: 'failure', kind: 'aborted', error: undefined };

/**
 * The permits of one call. An attempt gets the permits of all limits, or none. A permit is held from {@link take} until the
 * attempt is settled, and kept after that until its connection is free. A cancelled permit is passed to the next `take` of its
 * limit as `earlier`. Each permit is cancelled or settled, once.
 */
export class Permits {
  readonly #call: CallView;
  #limits: readonly LimitInCall[] = NONE;
  /** True once the attempt has an outcome. */
  #isSettled = false;
  /** The limit that lacked something. */
  #lacking: LimitInCall | undefined;

  constructor(call: CallView) {
    this.#call = call;
  }

  /** Starts with a limit. @throws the error with which the limit refuses the call: the limit is then not told of the end */
  start(limit: Limit, isOwn = false): void {
    const one = new LimitInCall(limit, isOwn);
    one.heard(limit.started?.(this.#call));
    // Not by `push`, which makes room for many more.
    this.#limits = this.#limits === NONE ? [one] : [...this.#limits, one];
  }

  /**
   * Takes the permits of all limits. If a limit lacks something, all permits go back.
   *
   * @returns the wait of the lacking limit, or the skip of a limit
   */
  take(): Wait | Skip | undefined {
    for (const one of this.#limits) {
      if (one.permit) continue;
      const taken = one.limit.take?.(this.#call, one.earlier);
      if (taken === undefined) continue;
      if (one.isOwn) mustBe(isTaken(taken), 'take', TAKES, taken);
      if ('acquire' in taken || 'skip' in taken) {
        this.#lacking = one;
        this.cancel();
        return taken;
      }
      one.hold(taken, this.#call);
    }
    return undefined;
  }

  /** Keeps the permit from the last wait. */
  hold(permit: Permit): void {
    const one = this.#lacking;
    if (!one) return;
    if (one.isOwn) mustBe(isPermit(permit), 'acquire', devText('a promise of a permit'), permit);
    one.hold(permit, this.#call);
  }

  /** Nothing was sent: everything goes back. The limits are asked again if the attempt goes on. */
  cancel(): void {
    if (this.#isSettled) this.release();
    for (const one of this.#limits) {
      const { permit } = one;
      if (!permit) continue;
      one.permit = undefined;
      one.earlier = permit;
      if (this.#call.bodyHolder === permit) this.#call.bodyHolder = undefined;
      one.tell(permit, permit.cancel);
    }
  }

  /** The attempt has an outcome. Each limit hears of it, also if another one fails. @returns the first error of a limit */
  settle(outcome: Outcome, before?: LimitError): LimitError | undefined {
    let failed = before;
    if (this.#isSettled) return failed;
    this.#isSettled = true;
    for (const one of this.#limits) failed = one.settle(outcome, failed);
    return failed;
  }

  /**
   * The connection of the attempt is free.
   *
   * @param once when it will be
   * @param outcome of an attempt that is not settled: it ends the call, whatever limits say to it
   */
  release(once?: Promise<void>, outcome: Outcome = UNJUDGED): void {
    this.settle(outcome, ENDED);
    this.#isSettled = false;
    for (const one of this.#limits) {
      const { permit } = one;
      if (!permit) continue;
      one.permit = undefined;
      if (this.#call.bodyHolder === permit) this.#call.bodyHolder = undefined;
      one.tell(permit, permit.release, once);
    }
  }

  /** Asks whether a retry may be sent. @returns the reason if not */
  planRetry(retry: PlannedRetry): StopReason | undefined {
    for (const one of this.#limits) {
      const planned = one.limit.planRetry?.(this.#call, retry);
      if (typeof planned === 'string') return planned;
      if (planned === undefined) continue;
      if (one.isOwn)
        mustBe(isPermit(planned), 'planRetry', devText('a permit, a reason, or undefined'), planned);
      one.planned = planned;
    }
    return undefined;
  }

  /** The scheduled attempt is not sent: permits planned or kept for it go back. */
  skip(): void {
    for (const one of this.#limits) {
      const planned = one.leave();
      if (!planned) continue;
      one.tell(planned, planned.cancel);
      one.tell(planned, planned.lapse);
    }
  }

  /** The call has ended. No one hears the outcome of an attempt that is still under way. */
  end(reason: StopReason): void {
    this.skip();
    if (!this.#isSettled) this.release();
    for (const one of this.#limits) one.tell(one.limit, one.limit.ended, this.#call, reason);
  }

  /** Watches the bodies of responses, if a limit needs to know their end. */
  get whenBodyEnds(): CallView['whenBodyEnds'] {
    return this.#limits.find(({ limit }) => limit.whenBodyEnds)?.limit.whenBodyEnds;
  }
}

/** A call that takes permits. */
interface Holder extends CallView {
  permits: Permits | undefined;
}

/** A call begins with a limit. @throws the error with which the limit refuses the call */
export function startLimit(call: Holder, { limit: shared, isOwn }: BroughtLimit): void {
  const { limit, isOwn: isChecked } = 'forCall' in shared ? shared.forCall(call) : { limit: shared, isOwn };
  if (call.isInner && !limit.isForInner) return;
  call.permits ??= new Permits(call);
  call.permits.start(limit, isChecked);
}
