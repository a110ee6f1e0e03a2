import { hasEndedBelow, nextEnd, noteEnd } from '#platform';
import type { Peek } from '../http/inspect.ts';
import type { Outcome } from '../http/outcome.ts';
import { attemptsOf, remember, rememberReason } from './history.ts';
import { OutOfTime, timeoutError } from './out-of-time.ts';
import type { MakeBody } from './preparation.ts';
import type { Readiness, Session } from './session.ts';

/** How a promise-based client sends one attempt. */
export interface Exchange<T> {
  /**
   * Makes the body of the attempt before it is sent; `undefined` if the body does not come from user code. The adapter keeps
   * what it makes until `send`.
   */
  readonly makeBody?: MakeBody | undefined;
  /** Sends the attempt. The call of the client itself goes through {@link Session.sending}. */
  send(session: Session): Promise<T>;
  /** The client's own error for a timeout; without this a `TimeoutError` as `AbortSignal.timeout` makes it. */
  timeoutError?(timeoutMs: number): unknown;
  /** Reads what `send` resolved with. */
  outcome(result: T): Outcome;
  /** Reads what `send` rejected with. */
  failure(error: unknown): Outcome;
  /**
   * Discards what `send` settled with, because a retry follows, so that its connection can be used again. `undefined` if
   * there is nothing to wait for.
   */
  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined;
  /**
   * Calls `ended` once the body of what `send` settled with has ended, failed, or been cancelled, and returns what the
   * caller gets in its place. Called only if a slot is held. Not needed by a client whose results have complete bodies.
   */
  whenBodyEnds?(settled: unknown, ended: () => void): unknown;
  /**
   * Opens the body of the response that `send` resolved with, or that the error it rejected with carries, for a look at its
   * beginning; the caller gets all of it afterwards. `undefined` if there is none. Called only if the policy inspects bodies,
   * and only for an outcome of type `response`.
   */
  peek?(settled: unknown, maxBytes: number): Peek | undefined;
  /** The call has ended before its first attempt was sent: the upload will not be read. */
  unsent?(reason: unknown): void;
}

/** A result that a retry follows. */
export interface Aside {
  /** Resolves when the connection of the result can be used again, or is closed. Never rejects, and takes bounded time. */
  readonly released: Promise<void>;
  /**
   * What the caller gets if the retry is not sent after all: the same result with its whole body, or with a body that
   * fails to be read if it was too long to keep. Without this, the result itself.
   */
  restore?(): unknown;
  /** True once it is known that {@link restore} returns it without its body. */
  readonly isLost?: boolean | undefined;
}

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's reason, ThrottledError or HookError, as {@link Session.ready} and {@link Session.judge} do
 */
export function run<T>(session: Session, exchange: Exchange<T>, signal?: AbortSignal): Promise<T> {
  return new Run(session, exchange, signal).start();
}

/** Goes on with a request whose first attempt was sent, and has settled, before its session began. */
export function goOn<T>(
  session: Session,
  exchange: Exchange<T>,
  value: unknown,
  failed: boolean,
): T | Promise<T> {
  session.begun();
  return new Run(session, exchange, undefined).afterFirst(value, failed);
}

/** A response that a retry followed. */
interface Answer {
  readonly value: unknown;
  readonly failed: boolean;
  readonly aside: Aside | undefined;
}

/** One request of a client with promises. */
class Run<T> {
  readonly #session: Session;
  readonly #exchange: Exchange<T>;
  readonly #signal: AbortSignal | undefined;
  /** What the last attempt resolved or rejected with. */
  #value: unknown;
  #failed = false;
  #aside: Aside | undefined;
  /** The last response that a retry followed: it is the result if the total timeout ends an attempt. */
  declare private answer?: Answer;
  /** True if the error has the history of the request that a function has made. */
  declare private keepsTrace?: boolean;
  /** The layers below have this attempt's results from the end of that number on. */
  #since = 0;

  constructor(session: Session, exchange: Exchange<T>, signal: AbortSignal | undefined) {
    this.#session = session;
    this.#exchange = exchange;
    this.#signal = signal;
  }

  /** Most requests need one attempt and no wait. They get by with one promise. */
  start(): Promise<T> {
    const waiting = this.#ready();
    if (waiting !== undefined) return this.#goOn(waiting);
    return this.#send().then(
      (result) => this.afterFirst(result, false),
      (error: unknown) => this.afterFirst(error, true),
    );
  }

  afterFirst(value: unknown, failed: boolean): T | Promise<T> {
    let waiting: Promise<Readiness> | undefined;
    try {
      const mustRetry = this.#mustRetry(value, failed);
      if (mustRetry === false) return this.#end();
      if (mustRetry !== true) return this.#afterInspection(mustRetry);
      waiting = this.#prepareRetry();
    } catch (error) {
      throw this.#noted(error);
    }
    return this.#goOn(waiting);
  }

  async #afterInspection(inspection: Promise<boolean>): Promise<T> {
    let waiting: Promise<Readiness> | undefined;
    try {
      if (!(await inspection)) return this.#end();
      waiting = this.#prepareRetry();
    } catch (error) {
      throw this.#noted(error);
    }
    return this.#goOn(waiting);
  }

  /** Goes on until the request has ended, from before an attempt. */
  async #goOn(before: Promise<Readiness> | undefined): Promise<T> {
    try {
      for (let waiting = before; ; waiting = this.#prepareRetry()) {
        const readiness = waiting === undefined || (await waiting);
        if (readiness === false) return this.#settle(this.#aside?.restore?.() ?? this.#value);
        let value: unknown;
        let failed = false;
        try {
          if (readiness !== true) throw readiness;
          value = await this.#send();
        } catch (error) {
          value = error;
          failed = true;
        }
        const mustRetry = readiness === true ? this.#mustRetry(value, failed) : this.#judgeUnsent(readiness);
        // Awaited only if there is something to wait for.
        if (mustRetry === false || (mustRetry !== true && !(await mustRetry))) return this.#end();
      }
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #send(): Promise<T> {
    this.#since = nextEnd();
    try {
      // A base fetch may return something else than a promise, if it is a mock.
      return Promise.resolve(this.#exchange.send(this.#session));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #ready(released?: Promise<void>): Promise<Readiness> | undefined {
    return this.#session.ready(this.#signal, released, this.#exchange.makeBody);
  }

  #prepareRetry(): Promise<Readiness> | undefined {
    this.#aside = this.#exchange.setAside(this.#value, this.#session, this.#signal);
    if (this.#session.hasAnswered)
      this.answer = { value: this.#value, failed: this.#failed, aside: this.#aside };
    return this.#ready(this.#aside?.released);
  }

  #timeoutError(timeoutMs: number): unknown {
    return this.#exchange.timeoutError?.(timeoutMs) ?? timeoutError(timeoutMs);
  }

  /** The attempt ran into its timeout before it was sent. */
  #judgeUnsent({ timeoutMs }: OutOfTime): boolean {
    this.#value = this.#timeoutError(timeoutMs);
    this.#failed = true;
    return this.#judge({ type: 'failure', kind: 'timeout', error: this.#value });
  }

  /** Judges what an attempt settled with; true if a retry follows. A promise if the policy inspects the response. */
  #mustRetry(value: unknown, failed: boolean): boolean | Promise<boolean> {
    const session = this.#session;
    this.#value = value;
    this.#failed = failed;
    const outcome = failed ? this.#failure(value) : this.#outcome(value as T);
    const isRepeated = this.#failed && session.failedBelow;
    if (isRepeated || hasEndedBelow(this.#value, this.#since)) {
      if (isRepeated && attemptsOf(this.#value).length > 0) this.keepsTrace = true;
      session.pass(outcome);
      return false;
    }
    // Some clients reject with an error that carries a response. What a function returned is none, and has no status.
    const isResponse = outcome.type === 'response' && outcome.status !== 0;
    return session.inspects && isResponse ? this.#inspect(outcome) : this.#judge(outcome);
  }

  async #inspect(outcome: Outcome): Promise<boolean> {
    const session = this.#session;
    const exchange = this.#exchange;
    const value = this.#value;
    let judged: Outcome;
    try {
      judged = await session.inspect(outcome, (maxBytes) => exchange.peek?.(value, maxBytes), this.#signal);
    } catch (hookError) {
      session.fail(outcome, hookError);
      exchange.setAside(value, session, AbortSignal.abort());
      throw hookError;
    }
    return this.#judge(judged);
  }

  #judge(outcome: Outcome): boolean {
    const session = this.#session;
    try {
      return session.judge(outcome, this.answer !== undefined && this.answer.aside?.isLost !== true).retry;
    } catch (hookError) {
      // Aborted at once: the caller gets the error now, and nothing of the request may go on after that.
      this.#exchange.setAside(this.#value, session, AbortSignal.abort());
      throw hookError;
    }
  }

  #outcome(result: T): Outcome {
    try {
      return this.#exchange.outcome(result);
    } catch (error) {
      // The getters of some mocks throw.
      this.#value = error;
      this.#failed = true;
      return this.#failure(error);
    }
  }

  #failure(error: unknown): Outcome {
    return this.#signal?.aborted
      ? { type: 'failure', kind: 'aborted', error }
      : this.#exchange.failure(error);
  }

  /** Ends with the last attempt, whose slot is released once its body has ended. */
  #end(): T {
    const answer = this.#session.fallsBack ? this.answer : undefined;
    if (answer !== undefined) {
      this.#failed = answer.failed;
      return this.#settle(answer.aside?.restore?.() ?? answer.value);
    }
    return this.#settle(this.#session.holdsSlot ? this.#releasingSlot() : this.#value);
  }

  #releasingSlot(): unknown {
    const session = this.#session;
    // Hazard: it must not hold `this`, which would keep the response from being collected.
    const ended = (): void => session.bodyEnded();
    if (this.#exchange.whenBodyEnds !== undefined) return this.#exchange.whenBodyEnds(this.#value, ended);
    ended();
    return this.#value;
  }

  /** Returns the result of the request, or throws it. */
  #settle(result: unknown): T {
    const session = this.#session;
    if (!session.isInner) noteEnd(result);
    if (this.#failed) throw result;
    remember(result, session.trace);
    return result as T;
  }

  /** An error that the request ends with, with its history. */
  #noted(thrown: unknown): unknown {
    const session = this.#session;
    const error = thrown instanceof OutOfTime ? this.#timeoutError(thrown.timeoutMs) : thrown;
    if (session.attempt === 0) this.#exchange.unsent?.(error);
    if (this.keepsTrace) return error;
    if (this.#signal?.aborted && error === this.#signal.reason) rememberReason(error, session.trace);
    else remember(error, session.trace);
    return error;
  }
}
