import { cancelBody, LAYER, property } from '@ebb/core/adapter';
import type { BaseFetch, FetchInit, FetchInput } from '@ebb/fetch';
import { copyArguments, FetchRequest, isRequest, withChanges } from '@ebb/fetch/internal';
import { HEDGES, type HedgeOptions, HedgePlan } from './hedge-plan.ts';
import { PromiseRace, type Try } from './promises.ts';
import type { Hedge } from './race.ts';

/** A call of a hedged fetch. */
class FetchRace extends PromiseRace<Response> {
  readonly #baseFetch: BaseFetch;
  readonly #input: FetchInput;
  readonly #init: FetchInit | undefined;

  /** @throws HookError if `keyOf` fails */
  constructor(
    plan: HedgePlan,
    baseFetch: BaseFetch,
    input: FetchInput,
    init: FetchInit | undefined,
    call: FetchRequest,
  ) {
    super(plan, call, call.signal, property(init, LAYER));
    this.#baseFetch = baseFetch;
    this.#input = input;
    this.#init = init;
  }

  protected send(): Promise<Response> {
    return this.#baseFetch(...this.#argumentsOf(this, this.#input));
  }

  protected another(url: string | undefined): [FetchRequest, (one: Try<Response>) => Promise<Response>] {
    const baseFetch = this.#baseFetch;
    let input = this.#input;
    if (url !== undefined) input = isRequest(input) ? new Request(url, input) : url;
    const send = (one: Try<Response>): Promise<Response> => {
      const { call } = one.hedge as Hedge;
      const [target, init] = this.#argumentsOf(one, input);
      return new FetchRequest(baseFetch, target, init).send(call);
    };
    return [new FetchRequest(baseFetch, input, this.#init), send];
  }

  #argumentsOf(one: Try<Response>, input: FetchInput): [FetchInput, FetchInit] {
    const changes = { signal: this.signalOf(one), [HEDGES]: true };
    return this.#init === undefined ? [input, changes] : withChanges(input, this.#init, changes);
  }

  protected statusOf({ answered, value }: Try<Response>): number | undefined {
    return answered ? (value as Response)?.status : 500;
  }

  protected discard({ value }: Try<Response>): void {
    cancelBody(property(value, 'body'));
  }
}

/** True if a call can be sent again, and aborted by a signal of ours. */
function isRepeatable(call: FetchRequest, plan: HedgePlan, own: unknown): boolean {
  const { signal } = call;
  // The base fetch judges a value that is no signal.
  if (signal ? signal.aborted || signal !== own : (own ?? undefined) !== undefined) return false;
  return plan.hedges(call.method) && !call.makeBody && call.replayable;
}

/**
 * A base fetch that sends a request a second time if the request takes longer than most, and returns the first response. Compose the fetch
 * below `createFetch` with the same policy. A hedge never waits: it is sent only if it has a token of its own, a retry of the budget,
 * tokens of the bucket and a free slot. The tries that lose are aborted.
 *
 * If all tries fail, the fetch settles as the first try did, and the client above decides on a retry.
 *
 * @param baseFetch sends each try, called without a receiver
 * @throws TypeError, RangeError if an option is wrong, or `baseFetch` hedges already
 * @example
 * ```ts
 * import { createPolicy, retryBudget } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 * import { hedged } from '@ebb/hedge/fetch';
 *
 * const policy = createPolicy({ budget: retryBudget() });
 * const fetch = createFetch(policy, hedged(globalThis.fetch, { policy }));
 *
 * const response = await fetch('https://api.example.com/');
 * ```
 */
export function hedged(baseFetch: BaseFetch, options: HedgeOptions): BaseFetch {
  const plan = new HedgePlan('hedged', options);
  plan.mustNotHedge('hedged: baseFetch', baseFetch);

  function hedgedFetch(input: FetchInput, init?: FetchInit): Promise<Response> {
    try {
      // A client of ebb between two that hedge does not show what is below.
      if (init && HEDGES in init) plan.mustNotHedge('hedged: baseFetch', hedgedFetch);
      const call = new FetchRequest(baseFetch, input, init);
      const own = call.source[2] as FetchInit | undefined;
      if (isRepeatable(call, plan, own?.signal ?? (isRequest(input) ? input.signal : undefined)))
        return new FetchRace(plan, baseFetch, ...copyArguments(input, own), call).start();
      return baseFetch(input, own);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return plan.mark(hedgedFetch);
}
