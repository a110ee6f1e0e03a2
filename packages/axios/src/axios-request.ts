import type { Outcome, Policy } from '@ebb/core';
import {
  type Aside,
  type Call,
  type Client,
  layerOf,
  type MakeBody,
  namedTimeoutOf,
  type Opened,
  property,
  remember,
  sending,
  timeoutOf,
} from '@ebb/core/adapter';
import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { Route } from './adapter.ts';
import { sendWithTimeout, timeoutError } from './attempt-timeout.ts';
import { type AxiosCopy, needCopy } from './axios-copy.ts';
import type { RequestBody } from './body/request-body.ts';
import { discardForRetry, peekAt, whenBodyEnds } from './body/response-body.ts';
import { asCanceled, type CallerSignal } from './cancel.ts';
import { changed, copyWith, type Held, heldBy, LayerMark, replaced } from './config-changes.ts';
import { failureOf, ResponseOutcome } from './outcome.ts';
import { Traits } from './traits.ts';

/** The call whose adapter has a config, and may pass it to another instance. A copy of the config refers to the same call. */
const CALL: unique symbol = Symbol.for('@ebb/axios call');

type CallConfig = InternalAxiosRequestConfig & { [CALL]?: AxiosRequest };

/** The call whose attempt is under way with a config, or with the one that it was copied from. */
export function requestOf(config: CallConfig): AxiosRequest | undefined {
  const call = config[CALL];
  return call?.underWay === true ? call : undefined;
}

/**
 * A request of an axios method, and how each of its attempts is sent.
 *
 * The adapter gets the caller's config itself, not a copy, because the response or error must refer to that object.
 * What an attempt changes in it is restored when the attempt settles.
 */
export class AxiosRequest extends Traits implements Client<AxiosResponse> {
  underWay = false;
  readonly policy: Policy;
  /** The copy of axios that the request belongs to, if it is known. */
  readonly copy: AxiosCopy | undefined;
  readonly #route: Route;
  /** The call of another policy that is under way with the same config. */
  readonly #outer: AxiosRequest | undefined;
  #running: Call | undefined;
  #caller: CallerSignal | undefined;
  /** The headers as they were before the first attempt, if there may be another. */
  #headers: object | undefined;
  /** True once the headers of the next attempt are those of the caller. */
  #isReset = false;
  // Few requests need these: `declare` keeps them out of the others.
  /** The headers whose place those with the changes of the attempt have. */
  declare private unchanged: InternalAxiosRequestConfig['headers'] | undefined;
  /** The body that was made for the next attempt. */
  declare private made: { readonly data: unknown } | undefined;
  /** What the config had in the last attempt, if its adapter may go on after its timeout. */
  declare private late: Held | undefined;
  /** What the config had before that, while it is there again. */
  declare private current: Held | undefined;
  declare private mark: LayerMark | undefined;

  constructor(
    config: InternalAxiosRequestConfig,
    body: RequestBody,
    policy: Policy,
    copy: AxiosCopy | undefined,
    route: Route,
    outer: AxiosRequest | undefined,
  ) {
    super(config, body);
    this.policy = policy;
    this.copy = copy;
    this.#route = route;
    this.#outer = outer;
  }

  /** @param isMarked true if a layer above has marked the config */
  begin(call: Call, caller: CallerSignal | undefined, isMarked: boolean): void {
    this.#running = call;
    this.#caller = caller;
    if (isMarked) this.mark = new LayerMark(this.config);
  }

  get #begun(): Call {
    return this.#running as Call;
  }

  get signal(): AbortSignal | undefined {
    return this.#caller?.signal;
  }

  get makeBody(): MakeBody | undefined {
    const { content } = this;
    if (this.#begun.policy.maxRetries > 0) content.bufferForm();
    return content.isReplaced ? this.#makeBody.bind(this) : undefined;
  }

  async #makeBody(state: { readonly over: boolean }): Promise<void> {
    this.#reset(this.#begun.attempt + 1);
    const data = await this.content.next(this.config, () => state.over);
    if (!state.over) this.made = { data };
  }

  timeoutError(timeoutMs: number): unknown {
    return timeoutError(needCopy(this.copy), this.config, timeoutMs);
  }

  send(call: Call): Promise<AxiosResponse> {
    const timeoutMs = timeoutOf(call);
    this.#reset(call.attempt);
    this.#isReset = false;
    return timeoutMs === undefined ? this.#attempt(call) : this.#sendWithin(timeoutMs, call);
  }

  /** A method of its own: its closures are allocated as soon as it is called. */
  #sendWithin(timeoutMs: number, call: Call): Promise<AxiosResponse> {
    const timeOut = (): unknown => {
      const error = this.timeoutError(namedTimeoutOf(call));
      if (this.underWay) this.late = heldBy(this.config);
      this.content.release();
      return error;
    };
    const send = (): Promise<AxiosResponse> => this.#attempt(call);
    return sendWithTimeout(timeoutMs, call.policy.clock, this.config, send, timeOut);
  }

  /** Before an attempt: adapters write into the headers, a length and a boundary for example. */
  #reset(attempt: number): void {
    if (this.#isReset) return;
    this.#isReset = true;
    const { config } = this;
    if (this.late !== undefined) this.#endLate();
    if (attempt > 1) config.headers = copyWith(config.headers, this.#headers);
    else if (this.#begun.policy.maxRetries > 0) this.#headers = { ...config.headers };
  }

  #attempt(call: Call): Promise<AxiosResponse> {
    const { config, made } = this;
    const { adapter, way } = this.#route;
    const { headerChanges } = call;
    const layer = layerOf(call);
    if (made !== undefined) {
      this.made = undefined;
      config.data = made.data;
    } else if (this.signal?.aborted && this.content.isReplaced) {
      // Before its body was made.
      return Promise.reject(this.signal.reason);
    }
    if (headerChanges !== undefined) {
      this.unchanged = config.headers;
      config.headers = changed(config.headers, headerChanges);
    }
    if (way === 'converted') this.#enter();
    if (layer === undefined) return adapter(config);
    // No layer below a socket reads a config.
    if (way !== 'socket') this.#markLayer(layer);
    return sending(call, () => adapter(config));
  }

  #enter(): void {
    this.underWay = true;
    const config: CallConfig = this.config;
    config[CALL] = this;
  }

  #markLayer(layer: object): void {
    this.mark ??= new LayerMark(this.config);
    this.mark.set(layer);
  }

  /** Restores the config. */
  #leave(): void {
    const config: CallConfig = this.config;
    if (this.current !== undefined) {
      replaced(config, this.current);
      this.current = undefined;
    }
    this.content.restore(config);
    if (this.unchanged !== undefined) {
      config.headers = this.unchanged;
      this.unchanged = undefined;
    }
    this.mark?.remove();
    if (!this.underWay) return;
    this.underWay = false;
    if (this.#outer === undefined) delete config[CALL];
    else config[CALL] = this.#outer;
  }

  outcome(response: AxiosResponse): Outcome {
    this.#leave();
    const { signal } = this;
    // The caller will get a CanceledError.
    if (signal?.aborted) return { type: 'failure', kind: 'aborted', error: signal.reason };
    return new ResponseOutcome(response, this);
  }

  failure(error: unknown): Outcome {
    this.#leave();
    remember(property(error, 'response'), this.#begun.trace);
    return failureOf(error, this);
  }

  peek(settled: unknown): Opened {
    const { signal, config, copy } = this;
    return peekAt(settled, () => asCanceled(signal?.reason, signal, config, copy));
  }

  setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
    const { late } = this;
    this.content.release();
    if (late === undefined || signal?.aborted) return discardForRetry(settled, call, signal);
    // While ebb waits for the retry.
    this.#enter();
    this.current = replaced(this.config, late);
    const layer = layerOf(call);
    if (layer !== undefined) this.#markLayer(layer);
    const restore = (): unknown => {
      this.#endLate();
      return settled;
    };
    return { released: Promise.resolve(), restore };
  }

  #endLate(): void {
    this.#leave();
    this.late = undefined;
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    whenBodyEnds(settled, this.#begun.policy.clock, ended);
    return settled;
  }

  unsent(reason: unknown): void {
    this.content.closeUnsent(reason);
  }

  /** Ends an upload that the last attempt, which failed, has left unfinished. */
  closeUpload(response: AxiosResponse | undefined): void {
    this.content.closeUpload(response?.data, response?.request);
  }

  /** Restores the config after an abort, and removes the listeners from the caller's signal. */
  end(): void {
    this.#leave();
    // The body of an attempt that was not sent.
    if (this.made !== undefined) this.content.release();
    this.#caller?.release?.();
  }
}
