import type { HedgeOptions, Outcome } from '@ebb/core';
import { type Call, cancelBody, property, sending } from '@ebb/core/adapter';
import { HEDGES, type Hedge, Hedging, noteHedges, Race } from '@ebb/core/hedging';
import type { BaseFetch } from './create-fetch.ts';
import { FetchRequest } from './fetch-request.ts';
import type { FetchInit, FetchInput } from './request.ts';
import { isRequest, rereadable, withChanges } from './request.ts';

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
  if (answered) cancelBody(property(value, 'body'));
}

/** One call of a fetch that hedges, and its first try: one object for both, since few calls need more. */
class FetchRace extends Race implements Try {
  readonly abort: AbortController = new AbortController();
  declare readonly hedge?: Hedge;
  declare answered?: boolean;
  declare value?: unknown;
  readonly #baseFetch: BaseFetch;
  readonly #input: FetchInput;
  readonly #init: FetchInit | undefined;
  readonly #call: FetchRequest;
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
    call: FetchRequest,
  ) {
    super(hedging, call);
    this.#baseFetch = baseFetch;
    this.#input = input;
    this.#init = init;
    this.#call = call;
  }

  start(): Promise<Response> {
    const woken = this.#woken();
    const settled = this.#send(this, this.#input);
    // Awaits the first try itself: the stack of its error names the caller.
    return Promise.race([woken, settled]).then(() => (this.#isDue ? this.#race(settled) : resultOf(this)));
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
  #send(one: Try, input: FetchInput, running?: Call): Promise<void> {
    let sent: Promise<Response>;
    try {
      const own = this.#call.signal;
      const late = one.abort.signal;
      const signal = own === undefined ? late : AbortSignal.any([own, late]);
      const changes = { signal, [HEDGES]: true };
      const [target, init] =
        this.#init === undefined ? [input, changes] : withChanges(input, this.#init, changes);
      // A mock may return something else than a promise.
      sent = Promise.resolve(
        running
          ? sending(running, () => new FetchRequest(this.#baseFetch, target, init).send(running))
          : this.#baseFetch(target, init),
      );
    } catch (error) {
      sent = Promise.reject(error);
    }
    return sent.then(
      (response) => this.#settled(one, true, response),
      (error: unknown) => this.#settled(one, false, error),
    );
  }

  #settled(one: Try, answered: boolean, value: unknown): void {
    one.answered = answered;
    one.value = value;
    // From a base fetch that ignores its signal.
    if (this.#isOver) discard(one);
    else if (one === this) this.firstSettled(answered ? (value as Response)?.status : 500);
    this.#wake?.();
  }

  /** From the first delay on. Reads the state of the tries after each wake-up, because several events may come together. */
  async #race(settled: Promise<void>): Promise<Response> {
    const tries: Try[] = [this];
    for (;;) {
      const woken = this.#woken();
      const isLost = this.#call.signal?.aborted || tries.every(({ answered }) => answered !== undefined);
      const winner = tries.find((one) => this.#isAnswer(one)) ?? (isLost ? this : undefined);
      if (winner !== undefined) return this.#end(tries, winner);
      if (this.#isDue) this.#hedge(tries);
      await (this.answered === undefined ? Promise.race([woken, settled]) : woken);
    }
  }

  get isOpen(): boolean {
    return this.answered === undefined && this.#call.signal?.aborted !== true;
  }

  #isAnswer(one: Try): boolean {
    return one.answered === true && !this.isFailure(this.#outcomeOf(one) as Outcome, this.#call);
  }

  #outcomeOf({ answered, value }: Try): Outcome | undefined {
    if (answered === undefined) return undefined;
    return answered ? this.#call.outcome(value as Response) : this.#call.failure(value);
  }

  #hedge(tries: Try[]): void {
    this.#isDue = false;
    const call = this.#call;
    const url = this.hedging.target(call);
    let input = this.#input;
    if (url === null) return;
    if (url !== undefined) input = isRequest(input) ? new Request(url, input) : url;
    const request = url === undefined ? call : new FetchRequest(this.#baseFetch, input, this.#init);
    void this.sendHedge(request, url !== undefined, (hedge) => {
      const one: Try = { abort: new AbortController(), hedge };
      tries.push(one);
      void this.#send(one, input, hedge.call);
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
    const records = this.over(winner.hedge, this.#outcomeOf(this));
    if (aborted) throw reason;
    noteHedges(winner.value, records);
    return resultOf(winner);
  }
}

/** True if a call can be sent again, and aborted by a signal of ours. */
function isRepeatable(call: FetchRequest, hedging: Hedging, own: unknown): boolean {
  const { signal } = call;
  // A signal of another library, or none at all, is for the base fetch to judge.
  if (signal ? signal.aborted || signal !== own : (own ?? undefined) !== undefined) return false;
  return hedging.hedges(call.method) && !call.makeBody && call.replayable;
}

/**
 * A base fetch that sends a request a second time if it takes longer than most, and returns the response that comes first. To be
 * composed below `createFetch` with the same policy. A hedge never waits: it is sent only if it has a token of its own, a retry of
 * the budget, tokens of the bucket and a free slot. The tries that lose are aborted.
 *
 * If all tries fail, it settles as the first one did, and the client above decides on a retry.
 *
 * @param baseFetch sends each try, called without a receiver
 * @throws TypeError, RangeError if an option is wrong, or `baseFetch` hedges already
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 * import { hedged } from '@ebb/fetch/hedged';
 *
 * const policy = createPolicy({ budget: retryBudget() });
 * const fetch = createFetch(policy, hedged(globalThis.fetch, { policy }));
 *
 * const response = await fetch('https://api.example.com/');
 * ```
 */
export function hedged(baseFetch: BaseFetch, options: HedgeOptions): BaseFetch {
  const hedging = new Hedging('hedged', options);
  hedging.mustNotHedge('hedged: baseFetch', baseFetch);

  function hedgedFetch(input: FetchInput, init?: FetchInit): Promise<Response> {
    try {
      // A client of ebb between two that hedge does not show what is below.
      if (init && HEDGES in init) hedging.mustNotHedge('hedged: baseFetch', hedgedFetch);
      const own = rereadable(init);
      const call = new FetchRequest(baseFetch, input, own);
      if (isRepeatable(call, hedging, own?.signal ?? (isRequest(input) ? input.signal : undefined)))
        return new FetchRace(hedging, baseFetch, input, own, call).start();
      return baseFetch(input, own);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return hedging.mark(hedgedFetch);
}
