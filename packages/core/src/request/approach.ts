import type { Outcome } from '../http/outcome.ts';
import type { AcquireOptions, ConcurrencyLimit } from '../limits/contracts.ts';
import type { HeaderChanges } from '../policy/before-attempt.ts';
import type { Policy } from '../policy/policy.ts';
import type { Admission, Lack } from './admission.ts';
import { knowsAsyncContext, type Surroundings, withSlots } from './layers.ts';
import type { Patience } from './patience.ts';
import { type MakeBody, Preparation, type PreparationContext } from './preparation.ts';
import { areAllHeld } from './user-code-holders.ts';

/** After so long a wait for slot and tokens, signatures and deadlines in the headers are out of date, in milliseconds. */
const AGED_MS = 10_000;

/** After so long, the tokens that an attempt holds count for nothing, in milliseconds: several would be sent at once. */
const STALE_MS = 10;

/** What an approach needs to know of its request. */
export interface ApproachContext extends PreparationContext {
  readonly around: Surroundings;
  /** `undefined` without a bucket and without a concurrency limit. */
  readonly admission: Admission | undefined;
}

/** The attempt that is approached. */
export interface Ahead {
  /** From 1. */
  readonly attempt: number;
  /** The outcome that it follows. */
  readonly previous: Outcome | undefined;
  readonly makeBody: MakeBody | undefined;
}

/** What was done for an attempt before it turned out that it has to wait. */
export interface Begun {
  /** What was lacking. */
  readonly lack?: Lack | undefined;
  /** The hooks, if they have been asked. */
  readonly dressing?: PromiseLike<void> | undefined;
  /** True if the hooks have answered. */
  readonly isDressed: boolean;
}

/**
 * The way to an attempt after its delay: the hooks, the slot and the tokens, the body. User code runs while nothing is held,
 * but for a body, which is made with the slot.
 */
export class Approach {
  readonly #context: ApproachContext;
  readonly #preparation: Preparation;
  readonly #onBlocked: () => void;

  /** @param onBlocked called if the slots that are waited for may never become free */
  constructor(context: ApproachContext, onBlocked: () => void) {
    this.#context = context;
    this.#preparation = new Preparation(context);
    this.#onBlocked = onBlocked;
  }

  /** The headers that the attempt changes; `undefined` for none. */
  get changes(): HeaderChanges | undefined {
    return this.#preparation.changes;
  }

  /** The key of ebb that every attempt carries; `undefined` before the first, and if there is none. */
  get idempotencyKey(): string | undefined {
    return this.#preparation.idempotencyKey;
  }

  /** True if every attempt carries the same idempotency key of ebb. */
  get isKeyed(): boolean {
    return this.#preparation.isKeyed;
  }

  /** True if an attempt did not carry the idempotency key of the request, or carried another one. */
  get isKeyLost(): boolean {
    return this.#preparation.isKeyLost;
  }

  /** What user code has left of the timeout of the attempt, in milliseconds; `undefined` if it has none. */
  get attemptLeftMs(): number | undefined {
    return this.#preparation.attemptLeftMs;
  }

  /** Forgets the attempt before. */
  reset(): void {
    this.#preparation.reset();
  }

  /** Asks the hooks. Returns a promise if they return one. */
  dress({ attempt, previous }: Ahead): PromiseLike<void> | undefined {
    return this.#preparation.dress(attempt, previous);
  }

  /**
   * Prepares the attempt, and waits until it can be sent.
   *
   * @throws the signal's own reason, OutOfTime, ThrottledError or HookError
   */
  async go(
    ahead: Ahead,
    patience: Patience,
    signal: AbortSignal | undefined,
    { lack, dressing, isDressed }: Begun,
  ): Promise<void> {
    const { policy, admission } = this.#context;
    if (hasHooks(policy) && !isDressed) {
      await this.#preparation.settle(() => dressing ?? this.dress(ahead), signal);
    }
    if (admission !== undefined) await this.#admit(admission, ahead, patience, signal, lack);
    if (ahead.makeBody !== undefined) await this.#makeBody(ahead.makeBody, ahead, patience, signal);
  }

  /** Takes slot and tokens. If they took long, the hooks make the headers anew. */
  async #admit(
    admission: Admission,
    ahead: Ahead,
    patience: Patience,
    signal: AbortSignal | undefined,
    lack: Lack | undefined,
  ): Promise<void> {
    const missing = lack ?? admission.take();
    if (missing === undefined) return;
    const { wanted } = admission;
    // Where the runtime knows who makes a request, one of such user code does not wait.
    if (missing === 'slot' && !knowsAsyncContext() && wanted && areAllHeld(wanted)) this.#onBlocked();
    const options = (waitedMs: number): AcquireOptions =>
      patience.acquireOptions(signal, ahead.attempt > 1, waitedMs);
    await admission.wait(options, missing);
    if (admission.waitedMs <= AGED_MS || this.#context.policy.beforeAttempt === undefined) return;
    // Without async context a request of the hook would wait for this slot.
    if (!knowsAsyncContext()) admission.freeSlot();
    // What it holds does not go back before that: those behind it would get it, and all hooks would be called at once.
    const slotsOf = this.#slotsOf;
    const tookMs = await this.#preparation.settle(
      () => (slotsOf.length === 0 ? this.dress(ahead) : withSlots(slotsOf, () => this.dress(ahead))),
      signal,
    );
    if (tookMs > STALE_MS) await admission.renew(tookMs, options);
    else await admission.wait(options);
  }

  /** The limits whose slots the request and the calls around it hold. */
  get #slotsOf(): readonly ConcurrencyLimit[] {
    const { admission, around } = this.#context;
    return admission?.limit === undefined ? around.slotsOf : [...around.slotsOf, admission.limit];
  }

  /** Has the body made with the slot held. Tokens that it outlasts are changed for new ones. */
  async #makeBody(
    makeBody: MakeBody,
    { attempt }: Ahead,
    patience: Patience,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { admission } = this.#context;
    const tookMs = await this.#preparation.makeBody(makeBody, signal, admission?.limit, this.#slotsOf);
    if (admission === undefined || tookMs <= STALE_MS) return;
    if (signal?.aborted) throw signal.reason;
    await admission.renew(tookMs, (waitedMs) => patience.acquireOptions(signal, attempt > 1, waitedMs));
  }
}

/** True if the policy has hooks that change the headers of an attempt. */
export function hasHooks({ beforeAttempt, idempotencyKey }: Policy): boolean {
  return beforeAttempt !== undefined || idempotencyKey !== undefined;
}
