import type { Limit, Permit, Wait } from '../call/types.ts';
import type { Outcome } from '../http/outcome.ts';
import { SKIP, SKIP_AND_END } from '../loop/judge.ts';
import type { Blocker, Part, PartCall, PartInstance, Place, PlannedRetry } from '../loop/part.ts';
import type { StopReason } from '../news/events.ts';
import { takingOver } from './taking.ts';

/** How a limit stands in its calls. */
interface Standing {
  /** True if inner layers ask it as well; else the outermost one alone does. */
  readonly isForInner?: boolean;
  /** True if it must know when bodies end: a request is then not sent before its call is made. */
  readonly needsBodyEnds?: boolean;
}

/** Makes a limit a part, which the loop asks until it asks limits themselves. */
export function limitPart(
  limit: Limit,
  place: Place,
  { isForInner = false, needsBodyEnds = false }: Standing = {},
): Part {
  const begin = (call: PartCall): PartInstance | undefined => {
    if (!isForInner && call.layers.isInner) return undefined;
    limit.started?.(call);
    return new LimitInCall(limit, call);
  };
  return { name: limit.name, place, ...(!needsBodyEnds && { taking: takingOver }), begin };
}

/** A limit in one call. */
class LimitInCall implements PartInstance {
  readonly #limit: Limit;
  readonly #call: PartCall;
  /** The attempt holds the first until it is settled, which makes it the second. */
  #permit: Permit | undefined;
  #settled: Permit | undefined;
  #hasEnded = false;
  // Only calls that wait or retry need these.
  /** The attempt held it until it was cancelled. */
  declare earlier?: Permit | undefined;
  /** A retry that has not been sent holds it. */
  declare planned?: Permit | undefined;

  constructor(limit: Limit, call: PartCall) {
    this.#limit = limit;
    this.#call = call;
  }

  get whenBodyEnds(): PartInstance['whenBodyEnds'] {
    return this.#limit.whenBodyEnds;
  }

  acquire(): Blocker | undefined {
    const held = this.#permit;
    if (held && !held.isPartial) return undefined;
    const taken = this.#limit.take?.(this.#call, held ?? this.earlier);
    if (taken === undefined) return undefined;
    if ('skip' in taken) return taken.isLast ? SKIP_AND_END : SKIP;
    if ('acquire' in taken) return this.#blocker(taken);
    this.#hold(taken);
    return undefined;
  }

  #hold(permit: Permit): void {
    this.#permit = permit;
    if (this.earlier) this.earlier = undefined;
  }

  #blocker(wait: Wait): Blocker {
    const { isForSlot = false, endsItself = false } = wait;
    const { clock } = this.#call.policy;
    let beganMs = 0;
    return {
      isForSlot,
      endsItself,
      wait(options) {
        beganMs = clock.now();
        return wait.acquire(options);
      },
      hold: (permit) => {
        this.#hold(permit as Permit);
        return (permit as Permit).waitedMs ?? Math.max(0, clock.now() - beganMs);
      },
    };
  }

  leave(outcome: Outcome | undefined): void {
    const permit = this.#permit;
    this.#permit = undefined;
    if (outcome !== undefined) {
      this.#lapse();
      if (this.planned) this.planned = undefined;
      // It is judged twice if an observer aborts it once its retry is planned.
      if (permit === undefined) return;
      this.#settled = permit;
      permit.settle?.(outcome);
      return;
    }
    // The call ends before the retry of the attempt that was settled.
    this.#releaseSettled();
    if (permit === undefined) return;
    this.earlier = permit;
    permit.cancel();
  }

  #releaseSettled(once?: Promise<void>): void {
    const settled = this.#settled;
    this.#settled = undefined;
    settled?.release?.(once);
  }

  #lapse(): void {
    const { earlier } = this;
    if (earlier === undefined) return;
    this.earlier = undefined;
    earlier.lapse?.();
  }

  permit(retry: PlannedRetry): StopReason | undefined {
    const planned = this.#limit.planRetry?.(this.#call, retry);
    if (typeof planned === 'string') return planned;
    this.planned = planned;
    return undefined;
  }

  skip(): void {
    this.#lapse();
    this.planned?.cancel();
    if (this.planned) this.planned = undefined;
  }

  free(once?: Promise<void>): void {
    // One that is not settled is kept for the end of the call.
    if (this.#permit) this.#permit.release?.(once);
    else this.#releaseSettled(once);
  }

  end(reason: StopReason): void {
    this.skip();
    (this.#permit ?? this.#settled)?.ended?.(reason);
    // It is called twice for a download that breaks after its response was judged.
    if (!this.#hasEnded) this.#limit.ended?.(this.#call, reason);
    this.#hasEnded = true;
  }
}
