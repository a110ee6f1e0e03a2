import { hasEndedBelow, noteEnd, sentNow } from '#around';
import type { FailureKind, Outcome, Responded } from '../http/outcome.ts';
import type { Call } from './call.ts';
import {
  type Aside,
  type Client,
  dropped,
  failed,
  lateBy,
  outcomeOf,
  type Settled,
  sendBy,
  succeeded,
} from './client.ts';
import { OutOfTime } from './deadline.ts';
import { attemptsOf, remember, rememberReason } from './history.ts';
import { fail, judge, look, pass, reads } from './judge.ts';
import { prepare, type Readiness } from './prepare.ts';

/** What follows an attempt: its response is looked into, it is sent again, or the call ends. Before the first it starts. */
type Step = 'start' | 'look' | 'again' | 'end';

const NOTHING: Settled = succeeded(undefined);

/**
 * How a request of a client of promises goes: prepare → send → judge, until it may not go again.
 *
 * Most requests need one attempt and no wait: they get by with one promise. The others go round in the loop.
 */
export class Run<T> {
  readonly #call: Call;
  readonly #client: Client<T>;
  readonly #signal: AbortSignal | undefined;
  /** What tells whether a layer below has ended since the attempt was sent. */
  #since = 0;
  /** The last response that a retry followed, if it may still be the result. */
  #answer: Settled | undefined;

  constructor(call: Call, client: Client<T>, signal?: AbortSignal) {
    this.#call = call;
    this.#client = client;
    this.#signal = signal;
  }

  start(): Promise<T> {
    const ready = this.#prepare();
    if (ready !== undefined) return this.goOnWaiting(ready);
    return this.#send().then(
      (value) => this.#first({ value, failed: false }),
      (error: unknown) => this.#first({ value: error, failed: true }),
    );
  }

  /** Goes on with a first attempt that could not be sent at once. @param ready what waits for it */
  goOnWaiting(ready: Promise<Readiness>): Promise<T> {
    return this.#loop(NOTHING, 'start', ready);
  }

  /** Goes on with a first attempt that was sent, and has settled, before this call was made. @param since what `sentNow` was then */
  goOn(value: unknown, failed: boolean, since: number): T | Promise<T> {
    this.#call.attempt = 1;
    this.#since = since;
    return this.#first({ value, failed });
  }

  #first(at: Settled): T | Promise<T> {
    let step: Step;
    try {
      step = this.#judge(at);
      if (step === 'end') return resultOf(this.#call, this.#client, at, this.#answer);
    } catch (error) {
      throw errorOf(this.#call, this.#client, this.#signal, error);
    }
    return this.#loop(at, step);
  }

  async #loop(first: Settled, from: Step, waiting?: Promise<Readiness>): Promise<T> {
    try {
      for (let at = first, step = from, ready = waiting; ; ) {
        if (step === 'look') step = await this.#look(at);
        if (step === 'end') return resultOf(this.#call, this.#client, at, this.#answer);
        if (step === 'again') ready = this.#setAside(at);
        const readiness = ready === undefined || (await ready);
        if (readiness === false) return resultOf(this.#call, this.#client, at, undefined, true);
        // It may have run into its timeout before it was sent.
        const late = readiness === true ? undefined : failed(lateBy(this.#client, readiness));
        at = late ?? (await this.#send().then(succeeded, failed));
        step = this.#judge(at, late && 'timeout');
      }
    } catch (error) {
      throw errorOf(this.#call, this.#client, this.#signal, error);
    }
  }

  #send(): Promise<T> {
    this.#since = sentNow();
    return sendBy(this.#client, this.#call);
  }

  #prepare(aside?: Aside): Promise<Readiness> | undefined {
    return prepare(this.#call, this.#signal, aside?.released, this.#client.makeBody);
  }

  #judge(at: Settled, kind?: FailureKind): Step {
    const outcome = outcomeOf(this.#client, at, kind ?? (this.#signal?.aborted ? 'aborted' : undefined));
    const isRepeated = at.failed && this.#call.place?.failedBelow === true;
    if (isRepeated || hasEndedBelow(at.value, this.#since)) {
      pass(this.#call, outcome);
      return 'end';
    }
    return reads(this.#call, outcome) ? 'look' : this.#decide(at, outcome);
  }

  #decide(at: Settled, outcome: Outcome): Step {
    try {
      return judge(this.#call, outcome, this.#answer !== undefined).retry ? 'again' : 'end';
    } catch (hookError) {
      throw dropped(this.#client, this.#call, at, hookError);
    }
  }

  async #look(at: Settled): Promise<Step> {
    const signal = this.#signal;
    const seen = at.outcome as Responded;
    const replace = (settled: unknown): void => {
      // The look may end after the call.
      if (at.failed) dropped(this.#client, this.#call, succeeded(settled), undefined);
      else at.value = settled;
    };
    try {
      at.outcome = await look(this.#call, seen, () => this.#client.peek?.(at.value, replace), signal);
    } catch (error) {
      const isAbort = signal?.aborted === true && error === signal.reason;
      dropped(this.#client, this.#call, at, error);
      if (!isAbort && !(error instanceof OutOfTime)) {
        fail(this.#call, seen, error);
        throw error;
      }
      // The response came, and what it means was not known in time: no one gets it.
      at.value = isAbort || !(error instanceof OutOfTime) ? error : lateBy(this.#client, error);
      at.failed = true;
      at.outcome = outcomeOf(this.#client, at, isAbort ? 'aborted' : 'timeout');
    }
    return this.#decide(at, at.outcome);
  }

  #setAside(at: Settled): Promise<Readiness> | undefined {
    at.aside = this.#client.setAside(at.value, this.#call, this.#signal);
    if (this.#call.answered !== undefined) this.#answer = at;
    return this.#prepare(at.aside);
  }
}

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's reason, ThrottledError or HookError, as `prepare` does
 */
export function run<T>(call: Call, client: Client<T>, signal?: AbortSignal): Promise<T> {
  return new Run(call, client, signal).start();
}

/**
 * What a call ends with: the last attempt, whose slot is released once its body has ended, or the answer before it.
 *
 * @param answer the last response that a retry followed
 * @param isUnsent true if the retry after it was not sent
 * @throws what the attempt has failed with
 */
export function resultOf<T>(
  call: Call,
  client: Client<T>,
  at: Settled,
  answer: Settled | undefined,
  isUnsent = false,
): T {
  let { value, failed } = at;
  const before = isUnsent ? at : call.fallsBack ? answer : undefined;
  if (before !== undefined) {
    failed = before.failed;
    value = before.aside?.restore?.() ?? before.value;
  } else if (call.limit !== undefined) {
    const { parts } = call;
    // Hazard: it must not hold what was settled, or the response could not be collected.
    const ended = (): void => parts?.free();
    if (client.whenBodyEnds !== undefined) value = client.whenBodyEnds(value, ended);
    else ended();
  }
  if (!call.isInner && call.history.at(-1)?.reason !== 'success') noteEnd(value);
  if (failed) throw value;
  remember(value, call.trace);
  return value as T;
}

/** An error that a call ends with, with its history. */
export function errorOf<T>(
  call: Call,
  client: Client<T>,
  signal: AbortSignal | undefined,
  thrown: unknown,
): unknown {
  const error = thrown instanceof OutOfTime ? lateBy(client, thrown) : thrown;
  if (call.attempt === 0) client.unsent?.(error);
  // That of a request that a function has made, and that was repeated, stays.
  if (call.place?.failedBelow && attemptsOf(error).length > 0) return error;
  const note = signal?.aborted && error === signal.reason ? rememberReason : remember;
  note(error, call.trace);
  return error;
}
