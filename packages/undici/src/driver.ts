import { failureKind, LAYER, OutOfTime, remember, type Session } from '@ebb/core/adapter';
import type { Attempt } from './attempt.ts';
import type { DispatchChanges } from './body/request-body.ts';
import { Call, type End } from './call.ts';
import { headersTimeoutError, namingOldUndici } from './errors.ts';
import { changedHeaders } from './header-changes.ts';
import { failureOutcome } from './traits.ts';

/**
 * Drives a request: waits, and sends its attempts. Retries and callbacks of the policy run in the async context of the
 * request; the handler is called as undici calls it.
 */
export abstract class Driver extends Call {
  /** Until the caller's `dispatch` returns: errors of the dispatcher are then thrown to the caller. */
  #isDispatching = true;

  /**
   * Returns, as `dispatch` does, whether the caller may go on dispatching.
   *
   * @throws what the dispatcher throws, or what the handler throws when it is given an error
   */
  start(): boolean {
    try {
      return this.started === undefined || this.#isReady(this.started) ? this.#send() : true;
    } finally {
      this.#isDispatching = false;
    }
  }

  #isReady(session: Session): boolean {
    if (session.next('begin', this.#signalIfNeeded(), undefined, this.body?.make) === 'send') return true;
    this.#sendAfter();
    this.begin();
    return false;
  }

  /** A method of its own: a function that holds `this` costs memory as soon as the method around it is called. */
  #signalIfNeeded(): () => AbortSignal {
    return () => this.waits.signal;
  }

  protected override wait(end: End, released: Promise<void> = Promise.resolve()): void {
    this.attempt?.releaseBody();
    this.previous = end;
    this.runInAsyncScope(() => {
      this.session.next('begin', this.waits.signal, released, this.body?.make);
      this.#sendAfter();
    });
    // An attempt that had no connection has not started the handler.
    this.begin();
  }

  #sendAfter(): void {
    this.isWaiting = true;
    const { session } = this;
    (session.waiting ?? Promise.resolve(true)).then(
      (readiness) => {
        if (readiness instanceof OutOfTime) this.#judgeUnsent(headersTimeoutError(readiness.timeoutMs));
        else if (session.next('woken', readiness) === 'send') this.#send();
        else if (this.previous !== undefined) this.finish(this.previous);
      },
      (error) => this.fail(error instanceof OutOfTime ? headersTimeoutError(error.timeoutMs) : error),
    );
  }

  /** An attempt has run into its timeout before it was sent. */
  #judgeUnsent(error: Error): void {
    this.follow(this.judge(undefined, { type: 'failure', kind: 'timeout', error, redirected: false }), error);
  }

  #send(): boolean {
    const { options, body, controller, started } = this;
    const attempt = this.makeAttempt();
    this.isWaiting = false;
    this.attempt = attempt;
    if (controller.aborted) {
      attempt.abort(controller.reason as Error);
      return true;
    }
    const timeoutMs = started?.timeoutMs();
    if (timeoutMs !== undefined)
      attempt.limit(this.session.policy.clock, timeoutMs, this.session.namedTimeoutMs);
    let changes = body?.take?.();
    const ofHooks = started?.headerChanges;
    if (ofHooks !== undefined) changes = { ...changes, headers: changedHeaders(options.headers, ofHooks) };
    if (changes !== undefined) attempt.reads(body, changes);
    try {
      return this.#dispatch(attempt, changes);
    } catch (thrown) {
      // Thrown by the handler: passed up, as without ebb.
      if (attempt.over) throw thrown;
      const error = namingOldUndici(thrown) as Error;
      if (this.#isDispatching) return this.#dispatcherThrew(attempt, error);
      attempt.onResponseError(undefined, error);
      return false;
    }
  }

  /** @param changes options that the attempt has in place of the request's own */
  #dispatch(attempt: Attempt, changes: DispatchChanges | undefined): boolean {
    const { composition, options, started } = this;
    const layer = started?.layer;
    if (layer === undefined)
      return composition.dispatch(changes === undefined ? options : { ...options, ...changes }, attempt);
    // Interceptors pass unknown options on, and undici does not send them.
    const layered = { ...options, ...changes, [LAYER]: layer };
    return this.session.sending(composition.dispatch.bind(undefined, layered, attempt));
  }

  /** A dispatcher that throws reports nothing to its handler. Unless there is a retry, throws to the caller as well. */
  #dispatcherThrew(attempt: Attempt, error: Error): boolean {
    const retry = this.judge(attempt, failureOutcome(attempt, failureKind(error), error, this.options));
    attempt.drop(error);
    if (retry === undefined) return false;
    if (retry) {
      this.wait(() => this.fail(error));
      return true;
    }
    this.closeBodies();
    remember(error, this.session.trace);
    this.over = true;
    this.noteAll();
    throw error;
  }
}
