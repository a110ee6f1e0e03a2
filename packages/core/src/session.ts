import { positive } from './check.ts';
import { sleep } from './clock.ts';
import { type Decision, decide, type Progress } from './decide.ts';
import { callHook, HookError } from './errors.ts';
import type { EbbEvent } from './events.ts';
import type { Attempt } from './history.ts';
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
   * before), then for tokens. Answers nothing, and takes no turn of the event loop, where there is nothing to
   * wait for.
   *
   * @throws the signal's own reason when it aborts
   * @throws ThrottledError when no token can be had in time
   * @throws HookError when `cost` or `onEvent` throws
   */
  ready(signal?: AbortSignal, released?: Promise<void>): Promise<void> | undefined {
    const { bucket } = this.#policy;
    try {
      if (signal?.aborted) throw signal.reason;
      this.#throttledMs = 0;
      const nothingBefore = this.#delayMs === 0 && released === undefined;
      if (nothingBefore && (bucket === undefined || bucket.tryAcquire(this.#cost()))) {
        this.#begin();
        return undefined;
      }
    } catch (error) {
      return Promise.reject(this.#ended(error, signal));
    }
    return this.#wait(signal, released);
  }

  async #wait(signal: AbortSignal | undefined, released: Promise<void> | undefined): Promise<void> {
    const { bucket, clock, totalTimeoutMs } = this.#policy;
    try {
      if (this.#delayMs > 0) await sleep(clock, this.#delayMs, signal);
      await released;
      if (signal?.aborted) throw signal.reason;
      if (bucket !== undefined) {
        const leftMs =
          totalTimeoutMs === undefined ? undefined : this.startedAtMs + totalTimeoutMs - clock.now();
        const maxWaitMs = leftMs === undefined ? undefined : Math.max(0, leftMs);
        const { waitedMs } = await bucket.acquire({ cost: this.#cost(), signal, maxWaitMs });
        this.#throttledMs = waitedMs;
        if (waitedMs > 0) this.#tell({ type: 'throttle', waitMs: waitedMs });
      }
      this.#begin();
    } catch (error) {
      throw this.#ended(error, signal);
    }
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
    this.#tell({ type: 'attempt' });
  }

  /**
   * Tells what became of the attempt, and answers what to do. After a decision not to retry the session is
   * over.
   *
   * @throws HookError when a hook throws; the session is over then, too
   */
  judge(outcome: Outcome): Decision {
    const policy = this.#policy;
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
