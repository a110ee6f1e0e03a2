import { hasEndedBelow, sentNow } from '#layers';
import type { FailureKind, Outcome, Responded } from '../http/outcome.ts';
import type { Call } from './call.ts';
import {
  type Aside,
  type AsksParts,
  type ClientAdapter,
  errorOf,
  lateBy,
  resultOf,
  type Settled,
} from './client.ts';
import { isReasonOf, OutOfTime } from './deadline.ts';
import { keepNotes } from './history.ts';
import { abortedBy, fail, judge, look, pass, reads } from './judge.ts';
import { insideOf } from './options.ts';
import { prepare, type Readiness } from './prepare.ts';

const succeeded = (value: unknown): Settled => ({ value, failed: false });
const failed = (value: unknown): Settled => ({ value, failed: true });

/** What follows an attempt: its response is looked into, it is sent again, or the call ends. Before the first it starts. */
type Step = 'start' | 'look' | 'again' | 'end';

const NOTHING: Settled = { value: undefined, failed: false };

/**
 * How a request of a client of promises goes: prepare → send → judge, until it may not go again.
 *
 * Most requests need one attempt and no wait: they get by with one promise. The others go round in the loop.
 */
export class Run<T> {
  readonly #call: Call;
  readonly #client: ClientAdapter<T>;
  readonly #signal: AbortSignal | undefined;
  /** What tells whether a layer below has ended since the attempt was sent. */
  #since = 0;
  /** The last response that a retry followed, if it may still be the result. */
  #answer: Settled | undefined;

  constructor(call: Call, client: ClientAdapter<T>, signal?: AbortSignal) {
    this.#call = call;
    this.#client = client;
    this.#signal = signal;
  }

  start(): Promise<T> {
    const ready = this.#prepare();
    if (ready) return this.goOnWaiting(ready);
    return this.#send().then(
      (value) => this.#first(succeeded(value)),
      (error: unknown) => this.#first(failed(error)),
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
      if (step === 'end') return this.#result(at);
    } catch (error) {
      throw errorOf(this.#call, this.#client, this.#signal, error);
    }
    return this.#loop(at, step);
  }

  async #loop(first: Settled, from: Step, waiting?: Promise<Readiness>): Promise<T> {
    try {
      for (let at = first, step = from, ready = waiting; ; ) {
        if (step === 'look') step = await this.#look(at);
        if (step === 'end') return this.#result(at);
        if (step === 'again') ready = this.#setAside(at);
        const readiness = ready === undefined || (await ready);
        if (readiness === false) return await this.#before(at);
        // It may have run into its timeout before it was sent.
        const late = readiness === true ? undefined : failed(lateBy(this.#client, readiness));
        at = late ?? (await this.#send().then(succeeded, failed));
        step = this.#judge(at, late && 'timeout');
        if (late && step === 'end') this.#client.unsent?.(late.value);
      }
    } catch (error) {
      throw errorOf(this.#call, this.#client, this.#signal, error);
    }
  }

  #result(at: Settled): T {
    return resultOf(this.#call, this.#client, this.#call.fallsBack ? this.#answer : undefined, at);
  }

  /** The retry is not sent. What it was to follow may still be read. */
  async #before(at: Settled): Promise<T> {
    await at.aside?.released;
    // The abort has ended the reading.
    if (at.aside && this.#signal?.aborted) throw this.#signal.reason;
    return resultOf(this.#call, this.#client, at, at);
  }

  #prepare(aside?: Aside): Promise<Readiness> | undefined {
    const { makeBody, followUpload } = this.#client;
    return prepare(this.#call, this.#signal, aside?.released, makeBody, followUpload);
  }

  #send(): Promise<T> {
    this.#since = sentNow();
    try {
      // A base fetch may return something else than a promise, if it is a mock.
      return Promise.resolve(this.#client.send(this.#call));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #judge(at: Settled, kind?: FailureKind): Step {
    const outcome = this.#outcome(at, kind ?? (this.#signal?.aborted ? 'aborted' : undefined));
    const isRepeated = at.failed && this.#call.place?.failedBelow;
    if (isRepeated || hasEndedBelow(at.value, this.#since)) {
      pass(this.#call, outcome);
      return 'end';
    }
    return reads(this.#call, outcome) ? 'look' : this.#decide(at, outcome);
  }

  #outcome(at: Settled, kind: FailureKind | undefined): Outcome {
    let outcome: Outcome | undefined;
    try {
      if (!at.failed) outcome = this.#client.outcome(at.value as T);
    } catch (error) {
      // The getters of some mocks throw.
      at.value = error;
      at.failed = true;
    }
    at.outcome = outcome ?? this.#failure(at.value, kind);
    return at.outcome;
  }

  #failure(error: unknown, kind: FailureKind | undefined): Outcome {
    if (kind === 'aborted') return abortedBy(error, this.#client.failure(error));
    return kind ? { type: 'failure', kind, error } : this.#client.failure(error);
  }

  #decide(at: Settled, outcome: Outcome): Step {
    try {
      return judge(this.#call, outcome, this.#answer !== undefined).retry ? 'again' : 'end';
    } catch (hookError) {
      this.#drop(at.value);
      throw hookError;
    }
  }

  async #look(at: Settled): Promise<Step> {
    const signal = this.#signal;
    const seen = at.outcome as Responded;
    const replace = (settled: unknown): void => {
      // The look may end after the call.
      if (at.failed) this.#drop(settled);
      else at.value = settled;
    };
    try {
      at.outcome = await look(this.#call, seen, () => this.#client.peek?.(at.value, replace), signal);
    } catch (error) {
      const isAbort = isReasonOf(signal, error);
      this.#drop(at.value);
      if (!isAbort && !(error instanceof OutOfTime)) {
        fail(this.#call, seen, error);
        throw error;
      }
      // The response came, and what it means was not known in time: no one gets it.
      at.value = lateBy(this.#client, error);
      at.failed = true;
      at.outcome = isAbort ? abortedBy(at.value, seen) : this.#outcome(at, 'timeout');
    }
    return this.#decide(at, at.outcome);
  }

  #setAside(at: Settled): Promise<Readiness> | undefined {
    keepNotes(this.#call, at.value);
    at.aside = this.#client.setAside(at.value, this.#call, this.#signal);
    if (this.#call.answered) this.#answer = at;
    return this.#prepare(at.aside);
  }

  /** Aborted at once: the caller gets an error now, and nothing of the request may go on after that. */
  #drop(settled: unknown): void {
    this.#client.setAside(settled, this.#call, AbortSignal.abort());
  }
}

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's own reason, NotSentError or HookError, as `prepare` does
 */
export function run<T>(call: Call, client: ClientAdapter<T>, signal?: AbortSignal): Promise<T> {
  // Parts that may answer it come first.
  const ask = insideOf(call.policy).parts[0]?.answering as AsksParts<T> | undefined;
  return ask ? ask(call, client, signal, Run<T>) : new Run(call, client, signal).start();
}
