import { closeCall, hasEndedBelow, isWithinCall, mayBeLayered, openCall, runIn, sentNow } from '#layers';
import { property } from '../base/errors.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { LayeredCall, Passage, Way } from '../layers/layer.ts';
import { isObserved } from '../news/emit.ts';
import { Call } from './call.ts';
import type { ClientAdapter } from './client.ts';
import { attemptsOf, setHistory, setHistoryOfSuccess } from './history.ts';
import { endUnsent, fail, pass } from './judge.ts';
import { insideOf, type Policy } from './options.ts';
import type { Blocker } from './part.ts';
import { wait } from './prepare.ts';
import { Run } from './run.ts';

/**
 * True if a call needs nothing before its first failure that layers below do not have to know: its policy has no hooks, timeouts and
 * parts, no one listens to events, and no other layer is around it.
 *
 * @param isTaken true if what its parts ask for is taken at once, as `takingOf` permits
 */
export function mayBeSentAtOnce(policy: Policy, isTaken = false): boolean {
  return (
    (isTaken || insideOf(policy).isPlain) &&
    !isWithinCall() &&
    !isObserved(undefined, 'attempt') &&
    !isObserved(undefined, 'end')
  );
}

/** The class that sends the calls of a policy whose parts take at once all that they need; `undefined` for another policy. */
export function takingOf(policy: Policy): typeof AtOnce | undefined {
  const over = insideOf(policy).taking as ((base: typeof AtOnce) => typeof AtOnce) | undefined;
  return over?.(AtOnce);
}

/** @param layer what a call shows to the layers below; true if one of them has found it */
export function hasReachedLayer(layer: Passage): boolean {
  return layer.call.isReached === true;
}

/** A client whose requests are made of two arguments. One object for all of its calls. */
export interface ClientAtOnce<T, Input, Init> {
  readonly policy: Policy;
  readonly way: Way;
  /** True once a layer below it has shown itself; false after some calls in which none has. */
  hasBelow?: boolean;
  /** How many calls have looked for one. */
  looks?: number;
  /** Makes a request, which sends itself: after a failure of the first attempt, or for a layer below that asks. */
  call(input: Input, init: Init): RequestTraits & ClientAdapter<T>;
  /** Copies the arguments of a call for its retries, since their owner may change them. `undefined`: a retry takes these themselves. */
  readonly keep?: ((input: Input, init: Init) => [Input, Init] | undefined) | undefined;
  /** Reads what the first attempt resolved with, for the parts of the policy; by default the request does. */
  outcome?(result: T): Outcome;
  /** Sends the first attempt. `passage` is there if other layers may be below. */
  send(input: Input, init: Init, passage?: Passage): Promise<T>;
}

const NONE: readonly object[] = [];

/** So many calls of a client look for layers below. A later one is found by what it has noted on its result. */
const LOOKS = 8;

/**
 * A call that is sent at once, as {@link mayBeSentAtOnce} permits. Layers below see it as any other call that takes no tokens and holds
 * no slots.
 */
export class AtOnce<T, Input, Init> implements Passage, LayeredCall {
  open = false;
  dispatched = false;
  #since = 0;
  declare hasFailed?: boolean;
  declare isReached?: boolean;
  protected readonly client: ClientAtOnce<T, Input, Init>;
  #input: Input;
  #init: Init;

  constructor(client: ClientAtOnce<T, Input, Init>, input: Input, init: Init) {
    this.client = client;
    this.#input = input;
    this.#init = init;
  }

  get call(): LayeredCall {
    return this;
  }

  get request(): RequestTraits {
    return this.makeRequest();
  }

  get tookFrom(): readonly object[] {
    return NONE;
  }

  get slotsOf(): readonly object[] {
    return NONE;
  }

  send(): Promise<T> {
    const { hasBelow, keep, way } = this.client;
    const looks = hasBelow !== false;
    // What waits for the same slots below would wait for this call.
    const isCarried = this.slotsOf !== NONE || (looks && mayBeLayered(way));
    this.#since = sentNow();
    let sent: Promise<T>;
    try {
      // A mock may return something else than a promise.
      sent = Promise.resolve(isCarried ? this.#sendLayered() : this.client.send(this.#input, this.#init));
    } catch (error) {
      sent = Promise.reject(error);
    }
    const kept = keep?.(this.#input, this.#init);
    if (kept) [this.#input, this.#init] = kept;
    return sent.then(
      (result) => this.#answered(result),
      (error: unknown) => this.#goOn(error, true),
    );
  }

  #sendLayered(): Promise<T> {
    openCall(this);
    return runIn(this, () => this.client.send(this.#input, this.#init, this));
  }

  /** Learns whether it was worth to look for a layer below. Entering the context takes longer than the rest of a call. */
  #close(): void {
    if (!this.open) return;
    closeCall(this);
    const { client } = this;
    if (this.isReached) client.hasBelow = true;
    else if (client.hasBelow === undefined) {
      client.looks = (client.looks ?? 0) + 1;
      if (client.looks === LOOKS) client.hasBelow = false;
    }
  }

  #answered(result: T): T | Promise<T> {
    const status = property(result, 'status');
    if (!(typeof status === 'number' && status < 400)) return this.#goOn(result, false);
    this.#close();
    this.succeeded(result, status);
    return result;
  }

  #goOn(value: unknown, failed: boolean): T | Promise<T> {
    this.#close();
    const request = this.makeRequest();
    const call = this.makeCall(request);
    if (hasEndedBelow(value, this.#since)) this.client.hasBelow = true;
    if (!failed || !this.hasFailed) return new Run(call, request).goOn(value, failed, this.#since);
    // A request that the client made below was repeated, and has failed.
    call.attempt = 1;
    pass(call, request.failure(value));
    if (attemptsOf(value).length === 0) setHistory(value, call.historyRecord);
    throw value;
  }

  protected succeeded(value: T, status: number): void {
    setHistoryOfSuccess(value, status);
  }

  protected makeRequest(): RequestTraits & ClientAdapter<T> {
    return this.client.call(this.#input, this.#init);
  }

  /** Goes on before the first attempt, which lacks something, or which a part has refused with an error. */
  protected goOnUnsent(blocker: Blocker | undefined, error?: unknown): Promise<T> {
    const request = this.makeRequest();
    const call = this.makeCall(request);
    const ready = blocker
      ? wait(call, undefined, undefined, undefined, { blocker })
      : endUnsent(call, error, undefined);
    return new Run(call, request).goOnWaiting(ready);
  }

  /** User code that was to judge the answer has failed: the caller gets its error, and no response. */
  protected failed(value: T, outcome: Outcome, error: unknown): unknown {
    const request = this.makeRequest();
    const call = this.makeCall(request);
    call.attempt = 1;
    request.setAside(value, call, AbortSignal.abort());
    fail(call, outcome, error);
    setHistory(error, call.historyRecord);
    return error;
  }

  /** The call that goes on with it. */
  protected makeCall(request: RequestTraits): Call {
    return new Call(this.client.policy, request, undefined, this.client.way);
  }
}
