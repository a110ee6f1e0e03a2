import type { Outcome } from '@ebb/core';
import { drain, type Hedge, type Hedging, noteHedges, Race, systemClock } from '@ebb/core/adapter';
import { Call } from './call.ts';
import type { BaseFetch } from './create-fetch.ts';
import type { FetchInit, FetchInput } from './init.ts';
import { changedHeaders, type InitChanges, isRequest, withChanges } from './request.ts';

/** One send. */
interface Try {
  readonly abort: AbortController;
  readonly hedge?: Hedge;
  /** True once it has a response, false once it has failed. */
  answered?: boolean;
  /** The response, or the error. */
  value?: unknown;
}

function resultOf({ answered, value }: Try): Response {
  if (answered) return value as Response;
  throw value;
}

/** Closes the connection of a response that is not wanted. */
function discard({ answered, value }: Try): void {
  if (answered) void drain((value as Response)?.body, undefined, systemClock, AbortSignal.abort());
}

/** One call of a fetch that hedges. */
export class FetchRace extends Race {
  readonly #baseFetch: BaseFetch;
  readonly #input: FetchInput;
  readonly #init: FetchInit | undefined;
  readonly #call: Call;
  readonly #first: Try = { abort: new AbortController() };
  #isDue = false;
  #isOver = false;
  /** Ends the wait for the next event. Called by a timer, it brings the call back to its own async context. */
  #wake: (() => void) | undefined;

  /** @throws HookError if `keyOf` fails */
  constructor(
    hedging: Hedging,
    baseFetch: BaseFetch,
    input: FetchInput,
    init: FetchInit | undefined,
    call: Call,
  ) {
    super(hedging, call);
    this.#baseFetch = baseFetch;
    this.#input = input;
    this.#init = init;
    this.#call = call;
  }

  start(): Promise<Response> {
    const first = this.#first;
    const woken = this.#woken();
    this.#send(first, this.#input);
    return woken.then(() => (this.#isDue ? this.#race() : resultOf(first)));
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

  #send(one: Try, input: FetchInput, headers?: HeadersInit): void {
    let sent: Promise<Response>;
    try {
      // A mock may return something else than a promise.
      sent = Promise.resolve(this.#fetch(one, input, headers));
    } catch (error) {
      sent = Promise.reject(error);
    }
    sent.then(
      (response) => this.#settled(one, true, response),
      (error: unknown) => this.#settled(one, false, error),
    );
  }

  #fetch({ abort, hedge }: Try, input: FetchInput, headers: HeadersInit | undefined): Promise<Response> {
    const own = this.#call.signal;
    const signal = own === undefined ? abort.signal : AbortSignal.any([own, abort.signal]);
    const changes: InitChanges = headers === undefined ? { signal } : { signal, headers };
    const [sent, init] =
      this.#init === undefined ? [input, changes] : withChanges(input, this.#init as object, changes);
    if (hedge === undefined) return this.#baseFetch(sent, init as FetchInit);
    return hedge.session.sending(() => this.#baseFetch(sent, init as FetchInit));
  }

  #settled(one: Try, answered: boolean, value: unknown): void {
    one.answered = answered;
    one.value = value;
    // From a base fetch that ignores its signal.
    if (this.#isOver) {
      discard(one);
      return;
    }
    if (one === this.#first) {
      const { status = 0 } = (value ?? {}) as Partial<Response>;
      this.firstSettled(answered && status < 500 && status !== 429);
    }
    this.#wake?.();
  }

  /** From the first delay on. Goes by what is the case, not by what has happened: several events may come together. */
  async #race(): Promise<Response> {
    const first = this.#first;
    const call = this.#call;
    const tries: Try[] = [first];
    const isAnswer = (one: Try): boolean =>
      one.answered === true && !this.isFailure(this.#outcomeOf(one) as Outcome, call);
    for (;;) {
      const woken = this.#woken();
      const isLost = call.signal?.aborted || tries.every(({ answered }) => answered !== undefined);
      const winner = tries.find(isAnswer) ?? (isLost ? first : undefined);
      if (winner !== undefined) return this.#end(tries, winner);
      if (this.#isDue) this.#hedge(tries);
      await woken;
    }
  }

  get isOpen(): boolean {
    return this.#first.answered === undefined && this.#call.signal?.aborted !== true;
  }

  #outcomeOf({ answered, value }: Try): Outcome | undefined {
    if (answered === undefined) return undefined;
    const call = this.#call;
    return answered ? call.outcome(value as Response) : call.failure(value);
  }

  #hedge(tries: Try[]): void {
    this.#isDue = false;
    const call = this.#call;
    const init = this.#init;
    const url = this.hedging.target(call);
    let input = this.#input;
    if (url === null) return;
    if (url !== undefined) input = isRequest(input) ? new Request(url, input) : url;
    const request = url === undefined ? call : new Call(this.#baseFetch, input, init as object);
    void this.hedge(request, url !== undefined, (hedge) => {
      const one: Try = { abort: new AbortController(), hedge };
      const { headerChanges } = hedge.session;
      const own = init?.headers ?? (isRequest(input) ? input.headers : undefined);
      tries.push(one);
      this.#send(one, input, headerChanges && changedHeaders(own, headerChanges));
    });
  }

  #end(tries: readonly Try[], winner: Try): Response {
    const { aborted, reason } = this.#call.signal ?? {};
    this.#isOver = true;
    for (const one of tries) {
      if (one.hedge) one.hedge.outcome = this.#outcomeOf(one);
      if (one === winner && !aborted) continue;
      one.abort.abort();
      discard(one);
    }
    const records = this.over(winner.hedge, this.#outcomeOf(this.#first));
    if (aborted) throw reason;
    noteHedges(winner.value, records);
    return resultOf(winner);
  }
}
