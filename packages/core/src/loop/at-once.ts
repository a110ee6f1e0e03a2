import { closeCall, hasEndedBelow, isWithinCall, mayBeLayered, openCall, sentNow, within } from '#around';
import { property } from '../base/errors.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';
import type { LayeredCall, Passage, Way } from '../layers/layer.ts';
import { emit, isObserved, type News } from '../news/events.ts';
import { ALONE, Call } from './call.ts';
import type { Client } from './client.ts';
import { type Attempt, attemptsOf, remember } from './history.ts';
import { endUnsent, fail, pass } from './judge.ts';
import { insideOf, type Policy } from './options.ts';
import type { Lack, PartCall } from './part.ts';
import { type Owner, PartsOfCall } from './parts-of-call.ts';
import { type Readiness, wait } from './prepare.ts';
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
  return insideOf(policy).taking as typeof AtOnce | undefined;
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
  call(input: Input, init: Init): RequestTraits & Client<T>;
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
  readonly #input: Input;
  readonly #init: Init;

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
    const { hasBelow, way } = this.client;
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
    return sent.then(
      (result) => this.#answered(result),
      (error: unknown) => this.#goOn(error, true),
    );
  }

  #sendLayered(): Promise<T> {
    openCall(this);
    return within(this, () => this.client.send(this.#input, this.#init, this));
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
    if (attemptsOf(value).length === 0) remember(value, call.trace);
    throw value;
  }

  protected succeeded(value: T, status: number): void {
    rememberSuccess(value, status);
  }

  protected makeRequest(): RequestTraits & Client<T> {
    return this.client.call(this.#input, this.#init);
  }

  /** The call that goes on with it. */
  protected makeCall(request: RequestTraits): Call {
    return new Call(this.client.policy, request, undefined, this.client.way);
  }
}

/** The histories of calls that were successful at once, by status. */
const histories: (readonly Attempt[] | undefined)[] = [];

/** The history of a call that was successful at once. All with the same status share it. */
function successOf(status: number): readonly Attempt[] {
  let history = histories[status];
  if (history === undefined) {
    const record: Attempt = { attempt: 1, delayMs: 0, throttledMs: 0, status, reason: 'success' };
    history = Object.freeze([Object.freeze(record)]);
    // A mock may have any number for a status.
    if (status >= 100 && status < 400 && Number.isInteger(status)) histories[status] = history;
  }
  return history;
}

/** Notes the history of a call that was successful at once. */
export function rememberSuccess(result: unknown, status: number): void {
  remember(result, successOf(status));
}

/**
 * A call that takes at once what its parts ask for, and is sent. They bring this code. To them it is the request as well: that of the
 * client is made once someone reads a field of it.
 */
export class Taking<T, Input, Init> extends AtOnce<T, Input, Init> implements Owner, RequestTraits {
  attempt = 0;
  readonly #parts = new PartsOfCall(this);
  #made: (RequestTraits & Client<T>) | undefined;

  override get request(): RequestTraits {
    return this;
  }

  get method(): string {
    return this.makeRequest().method;
  }

  get url(): string {
    return this.makeRequest().url;
  }

  get replayable(): boolean {
    return this.makeRequest().replayable;
  }

  get body(): unknown {
    return this.makeRequest().body;
  }

  header(name: string): string | undefined {
    return this.makeRequest().header(name);
  }

  get policy(): Policy {
    return this.client.policy;
  }

  get around(): PartCall['around'] {
    return ALONE;
  }

  get givenFeedback(): PartCall['givenFeedback'] {
    return insideOf(this.policy).feedback;
  }

  emit(news: News): void {
    emit(this, news);
  }

  override get tookFrom(): readonly object[] {
    const { bucket } = this.#parts;
    return bucket === undefined ? [] : [bucket];
  }

  override get slotsOf(): readonly object[] {
    const { limit } = this.#parts;
    return limit === undefined ? NONE : [limit];
  }

  override send(): Promise<T> {
    const parts = this.#parts;
    let lack: Lack | undefined;
    try {
      parts.begin(insideOf(this.policy).parts);
      lack = parts.take();
    } catch (error) {
      return this.#goOnWaiting((call) => endUnsent(call, error, undefined));
    }
    if (lack !== undefined)
      return this.#goOnWaiting((call) => wait(call, undefined, undefined, undefined, { lack }));
    this.attempt = 1;
    if (parts.grant?.conforming === false) this.emit({ type: 'mark' });
    return super.send();
  }

  /** Goes on in a call, before its first attempt. */
  #goOnWaiting(ready: (call: Call) => Promise<Readiness>): Promise<T> {
    const request = this.makeRequest();
    const call = this.makeCall(request);
    return new Run(call, request).goOnWaiting(ready(call));
  }

  protected override succeeded(value: T, status: number): void {
    const parts = this.#parts;
    const outcome = this.client.outcome?.(value) ?? this.makeRequest().outcome(value);
    try {
      parts.leave(outcome);
    } catch (error) {
      throw this.#failed(value, outcome, error);
    }
    parts.end('success');
    if (parts.limit !== undefined) this.#freeAfter(value, status);
    const attempts = successOf(status);
    remember(value, parts.grant === undefined ? attempts : { attempts, grant: parts.grant });
  }

  /** User code that was to judge the answer has failed: the caller gets its error, and no response. */
  #failed(value: T, outcome: Outcome, error: unknown): unknown {
    const request = this.makeRequest();
    const call = this.makeCall(request);
    call.attempt = 1;
    request.setAside(value, call, AbortSignal.abort());
    fail(call, outcome, error);
    remember(error, call.trace);
    return error;
  }

  /** The slot is free when the body has ended. */
  #freeAfter(value: T, status: number): void {
    const parts = this.#parts;
    // Hazard: it must not hold the response, which could not be collected.
    const ended = (): void => parts.free();
    const watch = parts.whenBodyEnds;
    if (watch === undefined) ended();
    else watch(value, { method: this.method, status, signal: undefined, clock: this.policy.clock }, ended);
  }

  protected override makeRequest(): RequestTraits & Client<T> {
    this.#made ??= super.makeRequest();
    return this.#made;
  }

  protected override makeCall(request: RequestTraits): Call {
    const call = super.makeCall(request);
    this.#parts.owner = call;
    call.parts = this.#parts;
    return call;
  }
}
