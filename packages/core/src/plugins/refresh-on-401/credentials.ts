import { callHook, HookError } from '../../base/errors.ts';
import { withinBounds } from '../../call/deadline.ts';
import { changesIn } from '../../call/header-changes.ts';
import { asUserCode } from '../../call/user-code.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { HeaderChanges, HeaderChangesInit } from '../../policy/hooks.ts';

/** The headers to send from now on; nothing if `beforeAttempt` has them. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that stores its token returns nothing
type RefreshResult = HeaderChangesInit | undefined | void;

/** Gets new credentials. The signal aborts when `refreshTimeoutMs` has passed. */
export type Refresh = (context: { readonly signal: AbortSignal }) => RefreshResult | Promise<RefreshResult>;

/** How long no refresh begins after fresh credentials were refused, in milliseconds. */
const PAUSE_MS = 10_000;

/** A refresh that is under way. A call finds out by this object that the refresh has made it. */
interface Renewal {
  /** True while `refresh` runs synchronously: a call that begins meanwhile is its own, also without async context. */
  isStarting: boolean;
  /** Why a call of the refresh failed that would have waited for it. */
  fault?: Error;
  done: Promise<void>;
}

/** Credentials that all calls of a policy share. */
export class Credentials {
  readonly #refresh: Refresh;
  readonly #timeoutMs: number;
  #endedAtMs = 0;
  #areRefused = false;
  #renewal: Renewal | undefined;
  /** The headers from the last successful refresh. */
  headers: HeaderChanges | undefined;
  /** How many refreshes have ended: an attempt that was sent before the last one has old credentials. */
  ended = 0;
  /** The error of the last refresh, if it has failed. */
  failure: { readonly cause: unknown } | undefined;

  constructor(refresh: Refresh, timeoutMs: number) {
    this.#refresh = refresh;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Resolves after the refresh that is under way, if there is one.
   *
   * @throws Error if that has made the call, and so would wait for itself
   */
  settled({ outer }: CallView): Promise<void> | undefined {
    const renewal = this.#renewal;
    if (!renewal) return undefined;
    if (renewal.isStarting || outer?.slotsHeld.includes(renewal)) {
      renewal.fault = new Error(
        'it sends through the client that it refreshes, which waits for it: use another client',
      );
      throw renewal.fault;
    }
    // Only the requests that started the refresh see its error.
    return renewal.done.catch(() => undefined);
  }

  /** An attempt with these credentials was refused. */
  refused(): void {
    this.#areRefused = this.failure === undefined;
  }

  /** True if a refresh would only repeat what was just refused. */
  isPaused(nowMs: number): boolean {
    return !this.#renewal && this.#areRefused && nowMs < this.#endedAtMs + PAUSE_MS;
  }

  /**
   * Refreshes, or waits for the refresh that is under way.
   *
   * @throws HookError if that returns something else than headers, or would wait for itself
   */
  renew(call: CallView): Promise<void> {
    if (this.#renewal) return this.#renewal.done;
    const renewal: Renewal = { isStarting: true, done: Promise.resolve() };
    // Known before the refresh begins, which may send at once.
    this.#renewal = renewal;
    renewal.done = this.#run(renewal, call);
    return renewal.done;
  }

  async #run(renewal: Renewal, call: CallView): Promise<void> {
    this.failure = undefined;
    this.#areRefused = false;
    try {
      const made = await asUserCode(call, () => this.#inTime(renewal, call.policy), renewal);
      if (made !== undefined) this.headers = callHook('refresh', () => changesIn('refresh', made));
    } catch (cause) {
      const { fault } = renewal;
      this.failure = { cause: fault === undefined ? cause : new HookError('refresh', fault) };
    }
    this.ended += 1;
    this.#renewal = undefined;
    this.#endedAtMs = call.policy.clock.now();
    const cause = this.failure?.cause;
    // A mistake of the program must be seen: it is no refusal of the server that gives the tokens.
    if (cause instanceof HookError && cause.hook === 'refresh') throw cause;
  }

  /** Refreshes. A result that comes after the timeout is of no use: another refresh may be under way. */
  #inTime(renewal: Renewal, { clock }: CallView['policy']): Promise<RefreshResult> {
    const leftMs = this.#timeoutMs;
    const end = new AbortController();
    const late = (): Error => {
      const text = `refresh did not end within ${leftMs} ms. Does it wait for the client that it refreshes?`;
      const error = Object.assign(new Error(text), { name: 'TimeoutError' });
      end.abort(error);
      return error;
    };
    const refresh = this.#refresh;
    let made: RefreshResult | Promise<RefreshResult>;
    try {
      made = refresh({ signal: end.signal });
    } finally {
      renewal.isStarting = false;
    }
    return withinBounds(Promise.resolve(made), { clock, signal: undefined, leftMs, late });
  }
}
