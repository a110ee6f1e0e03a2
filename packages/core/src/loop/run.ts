import { hasEndedBelow, nextEnd, noteEnd } from '#around';
import type { Outcome } from '../http/outcome.ts';
import type { Opened } from '../http/peek.ts';
import type { Readiness } from './approach.ts';
import { OutOfTime, timeoutError } from './bounds.ts';
import type { Aside, Exchange } from './exchange.ts';
import { attemptsOf, remember, rememberReason } from './history.ts';
import type { Session, Step } from './session.ts';

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's reason, ThrottledError or HookError, as {@link Session.next} does
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
  return new Run(session, exchange, undefined).settled(value, failed);
}

/** What an attempt settled with. */
interface Result {
  readonly value: unknown;
  readonly failed: boolean;
  readonly aside?: Aside | undefined;
}

/** Drives a session with promises. */
class Run<T> {
  readonly #session: Session;
  readonly #exchange: Exchange<T>;
  readonly #signal: AbortSignal | undefined;
  /** What the last attempt resolved or rejected with. */
  #value: unknown;
  #failed = false;
  #aside: Aside | undefined;
  /** The last response that a retry followed: it is the result if the total timeout ends an attempt. */
  declare private answer?: Result;
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
    const step = this.#session.next('begin', this.#signal, undefined, this.#exchange.makeBody);
    if (step !== 'send') return this.#goOn(step);
    return this.#send().then(
      (result) => this.settled(result, false),
      (error: unknown) => this.settled(error, true),
    );
  }

  /** Goes on after the first attempt. */
  settled(value: unknown, failed: boolean): T | Promise<T> {
    let step: Step;
    try {
      step = this.#judge(value, failed);
      if (step === 'finish') return this.#end();
    } catch (error) {
      throw this.#noted(error);
    }
    return this.#goOn(step);
  }

  async #goOn(from: Step): Promise<T> {
    const session = this.#session;
    try {
      for (let step = from; step !== 'finish'; ) {
        // Here and not in functions of their own, each of which would make a promise.
        if (step === 'wait') {
          const readiness = await (session.waiting as Promise<Readiness>);
          // The attempt ran into its timeout before it was sent.
          const isLate = readiness instanceof OutOfTime;
          step = isLate ? this.#judgeLate(readiness) : session.next('woken', readiness);
        } else if (step === 'send') {
          let value: unknown;
          let failed = false;
          try {
            value = await this.#send();
          } catch (error) {
            value = error;
            failed = true;
          }
          step = this.#judge(value, failed);
        } else if (step === 'look') step = await this.#look();
        else step = this.#setAside();
      }
      return this.#end();
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

  #judgeLate({ timeoutMs }: OutOfTime): Step {
    return this.#judge(this.#timeoutError(timeoutMs), true, 'timeout');
  }

  #setAside(): Step {
    const session = this.#session;
    this.#aside = this.#exchange.setAside(this.#value, session, this.#signal);
    if (session.hasAnswered) this.answer = { value: this.#value, failed: this.#failed, aside: this.#aside };
    return session.next('begin', this.#signal, this.#aside?.released, this.#exchange.makeBody);
  }

  async #look(): Promise<Step> {
    const session = this.#session;
    const value = this.#value;
    const open = (maxBytes: number): Opened => this.#exchange.peek?.(value, maxBytes);
    let outcome: Outcome;
    try {
      outcome = await session.look(open, this.#signal);
    } catch (hookError) {
      session.fail(session.toLookAt as Outcome, hookError);
      throw this.#dropped(hookError);
    }
    return this.#next('looked', outcome);
  }

  #judge(value: unknown, failed: boolean, kind?: 'timeout'): Step {
    const session = this.#session;
    this.#value = value;
    this.#failed = failed;
    const timedOut = kind && { type: 'failure' as const, kind, error: value };
    const outcome = timedOut ?? (failed ? this.#failure(value) : this.#outcome(value as T));
    const isRepeated = this.#failed && session.failedBelow;
    if (isRepeated || hasEndedBelow(this.#value, this.#since)) {
      if (isRepeated && attemptsOf(this.#value).length > 0) this.keepsTrace = true;
      session.pass(outcome);
      return 'finish';
    }
    return this.#next('settled', outcome);
  }

  #next(event: 'settled' | 'looked', outcome: Outcome): Step {
    const { answer } = this;
    try {
      return this.#session.next(event, outcome, answer !== undefined && answer.aside?.isLost !== true);
    } catch (hookError) {
      throw this.#dropped(hookError);
    }
  }

  /** Aborted at once: the caller gets the error now, and nothing of the request may go on after that. */
  #dropped(hookError: unknown): unknown {
    this.#exchange.setAside(this.#value, this.#session, AbortSignal.abort());
    return hookError;
  }

  #timeoutError(timeoutMs: number): unknown {
    return this.#exchange.timeoutError?.(timeoutMs) ?? timeoutError(timeoutMs);
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

  /** Ends with the last attempt, whose slot is released once its body has ended, or with the answer before it. */
  #end(): T {
    const session = this.#session;
    const before = session.isUnsent
      ? { value: this.#value, failed: this.#failed, aside: this.#aside }
      : session.fallsBack
        ? this.answer
        : undefined;
    if (before !== undefined) this.#failed = before.failed;
    const result =
      before === undefined
        ? session.holdsSlot
          ? this.#releasingSlot()
          : this.#value
        : (before.aside?.restore?.() ?? before.value);
    if (!session.isInner) noteEnd(result);
    if (this.#failed) throw result;
    remember(result, session.trace);
    return result as T;
  }

  #releasingSlot(): unknown {
    const session = this.#session;
    // Hazard: it must not hold `this`, which would keep the response from being collected.
    const ended = (): void => session.bodyEnded();
    if (this.#exchange.whenBodyEnds !== undefined) return this.#exchange.whenBodyEnds(this.#value, ended);
    ended();
    return this.#value;
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
