import type { Outcome, RequestTraits } from '@ebb/core';
import type { Transport } from '@ebb/core/adapter';
import type { HedgePlan } from './hedge-plan.ts';
import { noteHedges } from './history.ts';
import { type Hedge, Race } from './race.ts';

/** A request of a client of promises, as its race reads it. */
type RaceRequest<T> = RequestTraits & Pick<Transport<T>, 'outcome' | 'failure'>;

/** A request sent once: the first try, or a hedge. */
export interface Try<T> {
  readonly request: RaceRequest<T>;
  readonly abort: AbortController;
  readonly hedge?: Hedge;
  /** True once it has a response, false once it has failed. */
  answered?: boolean;
  /** The response, or the error. */
  value?: unknown;
}

/** A race of a client of promises, and its first try: one object for both, since few calls need more. */
export abstract class PromiseRace<T> extends Race implements Try<T> {
  readonly request: RaceRequest<T>;
  readonly abort: AbortController = new AbortController();
  declare readonly hedge?: Hedge;
  declare answered?: boolean;
  declare value?: unknown;
  /** The caller's. */
  readonly #signal: AbortSignal | undefined;
  #isDue = false;
  #isOver = false;
  /** Ends the wait for the next event. Called by a timer, it brings the call back to its own async context. */
  #wake: (() => void) | undefined;

  /** @throws HookError if `keyOf` fails */
  constructor(plan: HedgePlan, request: RaceRequest<T>, signal: AbortSignal | undefined, carried: unknown) {
    super(plan, request, carried);
    this.request = request;
    this.#signal = signal;
  }

  /** Sends the first try. */
  protected abstract send(): Promise<T>;

  /** The request of a hedge, and what sends it. @param url if it goes to another origin */
  protected abstract another(
    url: string | undefined,
  ): [request: RaceRequest<T>, send: (one: Try<T>) => Promise<T>];

  /** The status that a try has settled with; 500 without a response. */
  protected abstract statusOf(one: Try<T>): number | undefined;

  /** Closes the connection of a response that is not wanted. */
  protected abstract discard(one: Try<T>): void;

  /** The error that the caller gets after an abort. @param _failed a try that has failed, if one has */
  protected abortError(_failed: Try<T> | undefined): unknown {
    return this.#signal?.reason;
  }

  /** @throws what the try has failed with */
  protected resultOf({ answered, value }: Try<T>): T {
    if (answered) return value as T;
    throw value;
  }

  start(): Promise<T> {
    const woken = this.#woken();
    const settled = this.#watch(this, () => this.send());
    // Awaits the first try itself: the stack of its error names the caller.
    return Promise.race([woken, settled]).then(() =>
      this.#isDue ? this.#race(settled) : this.resultOf(this),
    );
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#isDue = true;
    this.#wake?.();
  }

  /** Settles, and never rejects, once the try has settled. */
  #watch(one: Try<T>, send: () => Promise<T>): Promise<void> {
    let sent: Promise<T>;
    try {
      // A mock may return something else than a promise.
      sent = Promise.resolve(send());
    } catch (error) {
      sent = Promise.reject(error);
    }
    return sent.then(
      (value) => this.#settled(one, true, value),
      (error: unknown) => this.#settled(one, false, error),
    );
  }

  /** The signal that aborts a try: at the end of its race, or with the caller's signal. */
  protected signalOf({ abort }: Try<T>): AbortSignal {
    return this.#signal === undefined ? abort.signal : AbortSignal.any([this.#signal, abort.signal]);
  }

  #settled(one: Try<T>, answered: boolean, value: unknown): void {
    one.answered = answered;
    one.value = value;
    // From a client that ignores its signal.
    if (this.#isOver) this.discard(one);
    else if (one === this) this.firstSettled(this.statusOf(one));
    this.#wake?.();
  }

  /** From the first delay on. Reads the state of the tries after each wake-up, because several events may come together. */
  async #race(settled: Promise<void>): Promise<T> {
    const tries: Try<T>[] = [this];
    for (;;) {
      const woken = this.#woken();
      const isLost = this.#signal?.aborted || tries.every(({ answered }) => answered !== undefined);
      const winner = tries.find((one) => this.#isAnswer(one)) ?? (isLost ? this : undefined);
      if (winner !== undefined) return this.#end(tries, winner);
      if (this.#isDue) this.#hedge(tries);
      await (this.answered === undefined ? Promise.race([woken, settled]) : woken);
    }
  }

  get isOpen(): boolean {
    return !this.#isOver && this.answered === undefined && this.#signal?.aborted !== true;
  }

  #isAnswer(one: Try<T>): boolean {
    const outcome = this.#outcomeOf(one);
    return outcome !== undefined && !this.isFailure(outcome, this.request);
  }

  #outcomeOf({ request, answered, value }: Try<T>): Outcome | undefined {
    if (answered === undefined) return undefined;
    return answered ? request.outcome(value as T) : request.failure(value);
  }

  #hedge(tries: Try<T>[]): void {
    this.#isDue = false;
    const url = this.plan.target(this.request);
    if (url === null) return;
    const [request, send] = this.another(url);
    void this.sendHedge(request, url !== undefined, (hedge) => {
      const one: Try<T> = { request, abort: new AbortController(), hedge };
      tries.push(one);
      void this.#watch(one, () => send(one));
    });
  }

  #end(tries: readonly Try<T>[], winner: Try<T>): T {
    const isAborted = this.#signal?.aborted;
    this.#isOver = true;
    for (const one of tries) {
      if (one.hedge) one.hedge.outcome = this.#outcomeOf(one);
      if (one === winner && !isAborted) continue;
      one.abort.abort();
      if (one.answered) this.discard(one);
    }
    const records = this.over(winner.hedge, this.#outcomeOf(this));
    if (isAborted) throw this.abortError(tries.find(({ answered }) => answered === false));
    noteHedges(winner.value, records);
    return this.resultOf(winner);
  }
}
