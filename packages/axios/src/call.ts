import type { HeaderChanges, Outcome, Policy } from '@ebb/core';
import {
  type Aside,
  type Exchange,
  type MakeBody,
  type Peek,
  property,
  remember,
  type Session,
} from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { Route } from './adapter.ts';
import { sendWithTimeout, timeoutError } from './attempt-timeout.ts';
import { type AxiosCopy, needCopy } from './axios-copy.ts';
import { peekAt } from './body/peek.ts';
import type { RequestBody } from './body/request-body.ts';
import { discardForRetry, whenBodyEnds } from './body/response-body.ts';
import type { CallerSignal } from './cancel.ts';
import { changed, copyWith, LateAttempt, LayerMark } from './config-changes.ts';
import { failureOf, ResponseOutcome } from './outcome.ts';
import type { Traits } from './traits.ts';

/** The call whose adapter has a config, and may pass it to another instance. A copy of the config refers to the same call. */
const CALL: unique symbol = Symbol.for('@ebb/axios call');

type CallConfig = InternalAxiosRequestConfig & { [CALL]?: Call };

/** The call whose attempt is under way with a config, or with the one that it was copied from. */
export function callOf(config: CallConfig): Call | undefined {
  const call = config[CALL];
  return call?.underWay === true ? call : undefined;
}

/** What a call is made of. */
export interface CallParts {
  /** The interceptor's policy, without the options of the request. */
  readonly policy: Policy;
  readonly route: Route;
  /** The copy of axios that the request belongs to, if it is known. */
  readonly copy: AxiosCopy | undefined;
  readonly body: RequestBody;
  readonly caller: CallerSignal | undefined;
  /** The call of another policy that is under way with the same config. */
  readonly outer: Call | undefined;
  /** There if a layer above has marked the config. */
  readonly mark: LayerMark | undefined;
}

/**
 * One call of an axios method, and how each of its attempts is sent.
 *
 * The adapter gets the caller's config itself, not a copy, because the response or error must refer to that object.
 * What an attempt changes in it is restored when the attempt settles.
 */
export class Call implements Exchange<AxiosResponse> {
  underWay = false;
  readonly policy: Policy;
  readonly config: CallConfig;
  readonly copy: AxiosCopy | undefined;
  readonly #session: Session;
  readonly #traits: Traits;
  readonly #adapter: AxiosAdapter;
  readonly #way: Route['way'];
  readonly #body: RequestBody;
  readonly #caller: CallerSignal | undefined;
  readonly #outer: Call | undefined;
  /** The headers as they were before the first attempt, if there may be another. */
  #headers: object | undefined;
  /** The object whose place those with the changes of the attempt have. */
  #unchanged: InternalAxiosRequestConfig['headers'] | undefined;
  /** The body that was made for the next attempt. */
  #made: { readonly data: unknown } | undefined;
  /** True once the headers of the next attempt are those of the caller. */
  #isReset = false;
  /** The last attempt, if its adapter may go on after its timeout. */
  #late: LateAttempt | undefined;
  #mark: LayerMark | undefined;

  constructor(session: Session, traits: Traits, parts: CallParts) {
    this.policy = parts.policy;
    this.config = traits.config;
    this.copy = parts.copy;
    this.#session = session;
    this.#traits = traits;
    this.#adapter = parts.route.adapter;
    this.#way = parts.route.way;
    this.#body = parts.body;
    this.#caller = parts.caller;
    this.#outer = parts.outer;
    this.#mark = parts.mark;
  }

  get signal(): AbortSignal | undefined {
    return this.#caller?.signal;
  }

  get makeBody(): MakeBody | undefined {
    if (this.#session.policy.maxRetries > 0) this.#body.bufferForm();
    return this.#body.isReplaced ? this.#makeBody.bind(this) : undefined;
  }

  async #makeBody(state: { readonly over: boolean }): Promise<void> {
    this.#reset(this.#session.attempt + 1);
    const data = await this.#body.next(this.config, () => state.over);
    if (!state.over) this.#made = { data };
  }

  timeoutError(timeoutMs: number): unknown {
    return timeoutError(needCopy(this.copy), this.config, timeoutMs);
  }

  send(session: Session): Promise<AxiosResponse> {
    const timeoutMs = session.timeoutMs();
    this.#reset(session.attempt);
    this.#isReset = false;
    return timeoutMs === undefined ? this.#attempt() : this.#sendWithin(timeoutMs, session);
  }

  /** A method of its own: its closures are allocated as soon as it is called. */
  #sendWithin(timeoutMs: number, session: Session): Promise<AxiosResponse> {
    const { clock } = session.policy;
    const error = (): unknown => this.timeoutError(session.namedTimeoutMs);
    const timedOut = (): void => {
      if (this.underWay) this.#late = new LateAttempt(this.config);
      this.#body.release();
    };
    const send = (): Promise<AxiosResponse> => this.#attempt();
    return sendWithTimeout({ timeoutMs, clock, error, config: this.config, send, timedOut });
  }

  /** Before an attempt: adapters write into the headers, a length and a boundary for example. */
  #reset(attempt: number): void {
    if (this.#isReset) return;
    this.#isReset = true;
    if (this.#late !== undefined) this.#endLate();
    if (attempt > 1) this.config.headers = copyWith(this.config.headers, this.#headers);
    else if (this.#session.policy.maxRetries > 0) this.#headers = { ...this.config.headers };
  }

  #attempt(): Promise<AxiosResponse> {
    const made = this.#made;
    this.#made = undefined;
    if (made !== undefined) this.config.data = made.data;
    // Aborted before its body was made.
    else if (this.#body.isReplaced) return Promise.reject(this.signal?.reason);
    return this.#dispatch(this.#session.headerChanges);
  }

  #dispatch(changes: HeaderChanges | undefined): Promise<AxiosResponse> {
    const { config } = this;
    if (changes !== undefined) {
      this.#unchanged = config.headers;
      config.headers = changed(config.headers, changes);
    }
    const adapter = this.#adapter;
    const { layer } = this.#session;
    if (this.#way === 'client') this.#enter();
    if (layer === undefined) return adapter(config);
    // No layer below a socket reads a config.
    if (this.#way !== 'socket') this.#markLayer(layer);
    return this.#session.sending(() => adapter(config));
  }

  #enter(): void {
    this.underWay = true;
    this.config[CALL] = this;
  }

  #markLayer(layer: object): void {
    this.#mark ??= new LayerMark(this.config);
    this.#mark.set(layer);
  }

  /** Restores the config. */
  #leave(): void {
    this.#late?.release();
    this.#body.restore(this.config);
    if (this.#unchanged !== undefined) {
      this.config.headers = this.#unchanged;
      this.#unchanged = undefined;
    }
    this.#mark?.remove();
    if (!this.underWay) return;
    this.underWay = false;
    if (this.#outer === undefined) delete this.config[CALL];
    else this.config[CALL] = this.#outer;
  }

  outcome(response: AxiosResponse): Outcome {
    this.#leave();
    const { signal } = this;
    // The caller will get a CanceledError.
    if (signal?.aborted) return { type: 'failure', kind: 'aborted', error: signal.reason };
    return new ResponseOutcome(response, this.#traits);
  }

  failure(error: unknown): Outcome {
    this.#leave();
    remember(property(error, 'response'), this.#session.trace);
    return failureOf(error, this.#traits);
  }

  peek(settled: unknown, maxBytes: number): Peek | undefined {
    return peekAt(settled, maxBytes);
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    this.#body.release();
    if (this.#late === undefined || signal?.aborted) return discardForRetry(settled, session, signal);
    this.#enterLate(this.#late);
    const restore = (): unknown => {
      this.#endLate();
      return settled;
    };
    return { released: Promise.resolve(), restore };
  }

  #enterLate(late: LateAttempt): void {
    this.#enter();
    late.hold();
    if (this.#session.layer !== undefined) this.#markLayer(this.#session.layer);
  }

  #endLate(): void {
    this.#leave();
    this.#late = undefined;
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    whenBodyEnds(settled, this.#session.policy.clock, ended);
    return settled;
  }

  unsent(reason: unknown): void {
    this.#body.closeUnsent(reason);
  }

  /** Ends an upload that the last attempt, which failed, has left unfinished. */
  closeUpload(response: AxiosResponse | undefined): void {
    this.#body.closeUpload(response?.data, response?.request);
  }

  /** Restores the config after an abort, and removes the listeners from the caller's signal. */
  end(): void {
    this.#leave();
    // The body of an attempt that was not sent.
    if (this.#made !== undefined) this.#body.release();
    this.#caller?.release();
  }
}
