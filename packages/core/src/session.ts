import { positive } from './check.ts';
import { sleep } from './clock.ts';
import { type Decision, decide, type Progress } from './decide.ts';
import { callHook, HookError } from './errors.ts';
import type { EbbEvent } from './events.ts';
import { type Attempt, keepGrant } from './history.ts';
import { type Ask, forRequest, type Grant, type PerKey, type Slot, type TokenBucket } from './limits.ts';
import type { Outcome, RequestTraits } from './outcome.ts';
import { overridePolicy, type Policy, type PolicyOptions } from './policy.ts';

/** What one request may change of its client's policy; `false` sends it as if ebb were not there. */
export type RequestOptions = PolicyOptions | false;

type Happening<E extends EbbEvent = EbbEvent> = E extends EbbEvent
  ? Omit<E, 'request' | 'attempt' | 'atMs'>
  : never;

/**
 * One request on its way through a policy. For each attempt an adapter calls {@link ready}, sends, and calls
 * {@link judge}.
 */
export class Session implements Progress {
  readonly request: RequestTraits;
  readonly startedAtMs: number;
  /** The attempt that is under way, from 1; 0 before the first is ready. */
  attempt = 0;
  previousBackoffMs: number | undefined;
  readonly history: Attempt[] = [];
  readonly #policy: Policy;
  #delayMs = 0;
  #throttledMs = 0;
  #slot: Slot | undefined;
  #bucket: TokenBucket | undefined;
  #grant: Grant | undefined;

  constructor(policy: Policy, request: RequestTraits) {
    this.#policy = policy;
    this.request = request;
    this.startedAtMs = policy.clock.now();
  }

  get policy(): Policy {
    return this.#policy;
  }

  /**
   * Waits until the next attempt may be sent: for the delay, for `released` (the connection of the attempt
   * before), then for a slot and for tokens. Answers nothing, and takes no turn of the event loop, where there
   * is nothing to wait for. The slot of the attempt before is given back when `released` settles.
   *
   * @throws the signal's own reason when it aborts
   * @throws ThrottledError when no slot or no token can be had in time
   * @throws HookError when `cost` or `onEvent` throws
   */
  ready(signal?: AbortSignal, released?: Promise<void>): Promise<void> | undefined {
    try {
      if (this.#slot !== undefined) this.#freeSlot(released);
      this.#grant = undefined;
      if (signal?.aborted) throw signal.reason;
      this.#throttledMs = 0;
      if (this.#delayMs === 0 && released === undefined && this.#takeAll()) {
        this.#begin();
        return undefined;
      }
    } catch (error) {
      return Promise.reject(this.#ended(error, signal));
    }
    return this.#wait(signal, released);
  }

  async #wait(signal: AbortSignal | undefined, released: Promise<void> | undefined): Promise<void> {
    const { bucket, concurrency, clock } = this.#policy;
    try {
      if (this.#delayMs > 0) await sleep(clock, this.#delayMs, signal);
      await released;
      if (signal?.aborted) throw signal.reason;
      if (concurrency !== undefined) {
        this.#slot = await this.#own(concurrency).acquire(this.#ask(signal));
        this.#throttledMs += this.#slot.waitedMs;
      }
      if (bucket !== undefined) {
        this.#bucket = this.#own(bucket);
        this.#grant = await this.#bucket.acquire({ ...this.#ask(signal), cost: this.#cost() });
        this.#throttledMs += this.#grant.waitedMs;
      }
      // It may have aborted in the same turn in which they were granted.
      if (signal?.aborted) throw signal.reason;
      if (this.#throttledMs > 0) this.#tell({ type: 'throttle', waitMs: this.#throttledMs });
      this.#begin();
    } catch (error) {
      throw this.#ended(error, signal);
    }
  }

  /** Takes a slot and tokens, if both are to be had at once. */
  #takeAll(): boolean {
    const { bucket, concurrency } = this.#policy;
    if (concurrency !== undefined) {
      this.#slot = this.#own(concurrency).tryAcquire();
      if (this.#slot === undefined) return false;
    }
    if (bucket === undefined || this.#takeTokens(this.#own(bucket))) return true;
    this.#freeSlot();
    return false;
  }

  #takeTokens(bucket: TokenBucket): boolean {
    this.#bucket = bucket;
    if (bucket.tryTake === undefined) return bucket.tryAcquire(this.#cost());
    this.#grant = bucket.tryTake(this.#cost());
    return this.#grant !== undefined;
  }

  #own<T extends object>(one: T | PerKey<T>): T {
    return forRequest(one, this.request, this.#policy.key);
  }

  #ask(signal: AbortSignal | undefined): Ask {
    const { clock, maxWaitMs, priority, totalTimeoutMs } = this.#policy;
    const retry = this.attempt > 0;
    if (totalTimeoutMs === undefined) return { signal, maxWaitMs, priority, retry };
    const leftMs = Math.max(0, this.startedAtMs + totalTimeoutMs - clock.now());
    return { signal, maxWaitMs: Math.min(leftMs, maxWaitMs ?? leftMs), priority, retry };
  }

  #freeSlot(released?: Promise<void>): void {
    const slot = this.#slot;
    this.#slot = undefined;
    if (slot === undefined || released === undefined) slot?.release();
    else void released.then(() => slot.release());
  }

  /** Whether a slot is held that {@link bodyEnded} gives back: if not, that need not be called. */
  get holdsSlot(): boolean {
    return this.#slot !== undefined;
  }

  /**
   * Gives back the slot of the policy's `concurrency` limit. An adapter calls this once {@link judge} has
   * answered that there is no retry and the response has gone to the caller, as soon as its body has ended, has
   * failed, or was cancelled or destroyed by whomever; at once when there is no body. Not after a failure, which
   * has no body, and not for a response that is followed by a retry: their slots are given back without it.
   * To call it more often than once, or with no slot held, does nothing.
   */
  bodyEnded(): void {
    this.#freeSlot();
  }

  #cost(): number {
    const { cost } = this.#policy;
    if (typeof cost === 'number') return cost;
    return callHook('cost', () => {
      const tokens = cost(this.request);
      positive('its answer', tokens);
      return tokens;
    });
  }

  #begin(): void {
    this.attempt += 1;
    if (this.#grant?.conforming === false) this.#tell({ type: 'mark' });
    this.#tell({ type: 'attempt' });
  }

  /**
   * Tells what became of the attempt, and answers what to do. After a decision not to retry the session is
   * over.
   *
   * @throws HookError when a hook throws; the session is over then, too
   */
  judge(outcome: Outcome): Decision {
    try {
      const decision = this.#decide(outcome);
      if (!decision.retry) {
        if (outcome.type === 'failure') this.#freeSlot();
        if (this.#grant !== undefined) keepGrant(this.history, this.#grant);
      }
      return decision;
    } catch (error) {
      this.#freeSlot();
      throw error;
    }
  }

  #decide(outcome: Outcome): Decision {
    const policy = this.#policy;
    if (this.#grant !== undefined) this.#bucket?.heed?.(outcome, this.#grant);
    const decision = decide(policy, this, outcome, policy.clock.now());
    this.#record(outcome, decision.reason);
    if (decision.retry) {
      this.#delayMs = decision.delayMs;
      this.previousBackoffMs = decision.backoffMs;
      this.#tell({ type: 'retry', delayMs: decision.delayMs, reason: decision.reason, outcome });
    } else {
      this.#tell({ type: 'end', reason: decision.reason, outcome });
    }
    return decision;
  }

  /** The end by an error of our own or by the caller's abort: told, and given back to be thrown. */
  #ended(error: unknown, signal?: AbortSignal): unknown {
    this.#freeSlot();
    // What was granted goes back: nothing was sent for it.
    this.#grant?.settle(0);
    if (error instanceof HookError) return error;
    try {
      this.#tell({ type: 'end', reason: signal?.aborted ? 'aborted' : 'throttled', outcome: undefined });
      return error;
    } catch (hookError) {
      return hookError;
    }
  }

  #record(outcome: Outcome, reason: Attempt['reason']): void {
    const { attempt } = this;
    const times = { attempt, delayMs: this.#delayMs, throttledMs: this.#throttledMs };
    this.history.push(
      outcome.type === 'response'
        ? { ...times, status: outcome.status, reason }
        : { ...times, failure: outcome.kind, ...codeOf(outcome.error), reason },
    );
  }

  #tell(event: Happening): void {
    const { clock, onEvent } = this.#policy;
    if (onEvent === undefined) return;
    const { request, attempt } = this;
    callHook('onEvent', () => onEvent({ ...event, request, attempt, atMs: clock.now() } as EbbEvent));
  }
}

function codeOf(error: unknown): { code?: string } {
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 8; depth += 1) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === 'string') return { code };
    at = cause;
  }
  return error instanceof Error ? { code: error.name } : {};
}

/** The session of a request with its own `ebb` options; nothing for `ebb: false`. */
export function begin(policy: Policy, request: RequestTraits, options?: RequestOptions): Session | undefined {
  if (options === false) return undefined;
  return new Session(options === undefined ? policy : overridePolicy(policy, options), request);
}
