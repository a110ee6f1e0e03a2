import type { Outcome, Policy, RequestTraits } from '@ebb/core';
import {
  type Aside,
  abortedBy,
  bufferBytes,
  type Call,
  closeUpload,
  type Deadline,
  discardMsOf,
  type FollowUpload,
  isSingleUse,
  isWebReadable,
  layerOf,
  type MakeBody,
  maySendAgain,
  namedTimeoutOf,
  type OpenedBody,
  property,
  readableBody,
  sendWithin,
  type Transport,
  takeUpload,
  timeoutOf,
} from '@ebb/core/adapter';
import type { AxiosError, AxiosResponse, CancelTokenSource } from 'axios';
import { abortUpload, closeWith, formBody } from '#platform';
import { type AdapterRoute, type AxiosCopy, copyFor } from './axios-copy.ts';
import { asCanceled, type CallerSignal, sendWithTimeout, timeoutError } from './cancel.ts';
import { type Config, changeHeaders, copyWith, exchange, type Fields, urlOf, withContext } from './config.ts';
import { failureOf, headerOf, outcomeOf } from './outcome.ts';
import type { FactoryBody, NextBody } from './request-body.ts';
import { discard, endBodyAfter, peekAt, whenBodyEnds, whenRead } from './response-body.ts';

/** How the requests of an interceptor go through an adapter. */
export interface Route extends AdapterRoute {
  readonly policy: Policy;
  /** The copy of axios that the user passed. */
  readonly given: AxiosCopy | undefined;
}

/**
 * A request of an axios method, and how each of its attempts is sent. The traits, apart from the URL, are read from the config each time a
 * policy asks.
 *
 * The adapter gets the caller's config itself, not a copy, because the response or error must refer to that object. The changes of an
 * attempt are undone when the attempt settles.
 */
export class AxiosRequest implements RequestTraits, Transport<AxiosResponse> {
  /** Also for `likeAxiosRetry`, which reads `validateStatus`, and leaves the next attempt what is left of `timeout`. */
  readonly config: Config;
  readonly route: Route;
  /** There if `data` is a function that makes the body of each attempt. */
  readonly #factory: FactoryBody | undefined;
  /** The length of a buffer at the start. A buffer that was transferred since cannot be sent again. */
  readonly #bytes: number | undefined;
  readonly followUpload: FollowUpload | undefined;
  /** The headers as they were before the first attempt, if that was prepared. */
  #headers: object | undefined;
  #caller: CallerSignal | undefined;
  /** The URL, once it was read; `failover` sets it. */
  uri: string | undefined;
  // Few requests need these: `declare` keeps them out of the others.
  /** There if `data` is a function, or a form that can be sent more than once. */
  declare private next: NextBody | undefined;
  /** The body that was made for the next attempt. */
  declare private made: { readonly data: unknown } | undefined;
  /** Fields of the config before the attempt under way, and during the last attempt. */
  declare private before: Fields | undefined;
  declare private during: Fields | undefined;
  /** Cancels the last attempt, if that had a timeout. */
  declare private token: CancelTokenSource | undefined;
  /** True after an attempt that has timed out, while its adapter may go on. */
  declare private isLate: boolean | undefined;

  /**
   * @param factory there if `data` was a function
   * @param headers those of the config before the first attempt, if that has been sent
   * @throws TypeError for a function that a later interceptor has set, which the transforms have seen
   */
  constructor(route: Route, config: Config, factory?: FactoryBody, headers?: object) {
    this.route = route;
    this.config = config;
    this.#headers = headers;
    this.#bytes = bufferBytes(config.data);
    this.followUpload = takeUpload(config.data);
    if (typeof config.data !== 'function') return;
    if (factory === undefined)
      throw new TypeError('data: a body function must be set before ebb’s interceptor runs');
    this.#factory = factory;
    this.next = factory.next;
  }

  begin(call: Call, caller: CallerSignal | undefined): void {
    this.#caller = caller;
    if (formBody && this.config.data && maySendAgain(call.policy)) this.next ??= formBody(this.config.data);
  }

  get method(): string {
    return (this.config.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    this.uri ??= urlOf(this.config);
    return this.uri;
  }

  get replayable(): boolean {
    const { data } = this.config;
    return this.next !== undefined || (!isSingleUse(data) && bufferBytes(data) === this.#bytes);
  }

  /** As `transformRequest` has left it. A body that is made anew for each attempt is no one's to look at. */
  get body(): unknown {
    return this.next ? undefined : readableBody(this.config.data);
  }

  header(name: string): string | undefined {
    return headerOf(this.config.headers, name);
  }

  get signal(): AbortSignal | undefined {
    return this.#caller?.signal;
  }

  /** There if each attempt sends what it makes in place of `data`. */
  get makeBody(): MakeBody | undefined {
    const { config, next } = this;
    if (!next) return undefined;
    return async (state) => {
      this.#reset();
      const data = await next(config, () => state.over);
      if (state.over) this.#factory?.release();
      else this.made = { data };
    };
  }

  timeoutError(timeoutMs: number): AxiosError {
    return timeoutError(this.route.given, this.config, timeoutMs);
  }

  /** The error that the caller gets if the request was canceled; else `error`. */
  canceled(error: unknown = this.signal?.reason): unknown {
    return asCanceled(error, this.signal, this.config, this.route.given);
  }

  send(call: Call): Promise<AxiosResponse> {
    const { config, made, signal } = this;
    const { adapter, way, given } = this.route;
    if (!this.next) this.#reset();
    else if (!made) {
      // Aborted before its body was made.
      return Promise.reject(signal?.reason);
    }
    const { headerChanges } = call;
    const timeoutMs = timeoutOf(call);
    // No layer below a socket reads a config.
    const layer = way === 'socket' ? undefined : layerOf(call);
    const fields: Fields = layer ? withContext(config, layer) : [];
    if (made) fields.push(['data', made.data]);
    this.made = undefined;
    if (headerChanges) fields.push(['headers', changeHeaders(config.headers, headerChanges)]);
    // A token, not a signal: axios follows the caller's signal in the config for as long as a streamed response is read.
    const token = timeoutMs === undefined ? undefined : copyFor(config, given)?.CancelToken?.source();
    if (token) {
      this.token = token;
      fields.push(['cancelToken', token.token]);
      if (config.cancelToken)
        signal?.addEventListener('abort', () => token.cancel(property(signal.reason, 'message') as string));
    }
    this.before = exchange(config, fields);
    const send = (): Promise<AxiosResponse> =>
      sendWithin(call, () => {
        // The http adapter would send it. The fetch adapter ends the process if its body is a stream of Node.
        if (!signal?.aborted) return adapter(config);
        this.unsent(signal.reason);
        throw signal.reason;
      });
    if (timeoutMs === undefined) return send();
    return sendWithTimeout(timeoutMs, call.policy.clock, send, () => {
      this.isLate = way === 'converted';
      this.#factory?.release();
      const error = this.timeoutError(namedTimeoutOf(call));
      token?.cancel(error.message);
      return error;
    });
  }

  /** Before an attempt: adapters write into the headers, a length and a boundary for example. */
  #reset(): void {
    const { config } = this;
    this.#leave();
    this.isLate = false;
    if (!this.#headers) this.#headers = { ...config.headers };
    else config.headers = copyWith(config.headers, this.#headers);
  }

  /** Restores the config after an attempt. */
  #leave(): void {
    const { before, config } = this;
    if (!before) return;
    this.before = undefined;
    this.during = exchange(config, before);
  }

  outcome(response: AxiosResponse): Outcome {
    this.#leave();
    const { signal } = this;
    // The caller will get a CanceledError.
    const outcome = outcomeOf(response, this);
    return signal?.aborted ? abortedBy(signal.reason, outcome) : outcome;
  }

  failure(error: unknown): Outcome {
    this.#leave();
    return failureOf(error, this);
  }

  peek(settled: unknown): OpenedBody {
    return peekAt(settled, () => this.canceled());
  }

  setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
    const { config, during } = this;
    this.#factory?.release();
    if (!this.isLate || !during || signal?.aborted)
      return discard(settled, call.policy.clock, discardMsOf(call), signal);
    // A custom adapter may have ignored its token, or wait for something else. While ebb waits for the retry it finds the config
    // as it was in the attempt: its token is canceled, and what is sent nevertheless has the headers of the attempt, an idempotency
    // key for example.
    this.before = exchange(config, during);
    const restore = (): unknown => {
      this.#leave();
      return settled;
    };
    return { released: Promise.resolve(), restore };
  }

  whenBodyEnds(settled: unknown, ended: () => void, { policy }: Call): unknown {
    whenBodyEnds(settled, policy.clock, ended);
    return settled;
  }

  boundBody(settled: unknown, { policy }: Call, { leftMs, timeoutMs }: Deadline): void {
    const late = (): AxiosError => this.timeoutError(timeoutMs);
    endBodyAfter(settled, policy.clock, Math.max(0, leftMs), late, () => this.token?.cancel());
  }

  unsent(reason: unknown): void {
    closeUpload(this.config.data, reason);
  }

  /**
   * Closes the body that was made for the last attempt, which failed, unless it was read to its end. With a
   * streamed response it waits for that to close first.
   */
  closeUpload(response: AxiosResponse | undefined): void {
    const factory = this.#factory;
    if (factory?.isOpen !== true) return;
    const isStreamed = closeWith ? closeWith(response?.data, () => factory.release()) : false;
    if (isStreamed || isWebReadable(response?.data)) return;
    factory.release();
    if (abortUpload) abortUpload(response?.request ?? {});
  }

  /**
   * Restores the config after an abort, and removes the listeners from the caller's signal and token.
   *
   * @param response what the caller gets: until its body has ended, the token still cancels it
   */
  end(response?: AxiosResponse): void {
    this.#leave();
    // The body of an attempt that was not sent.
    if (this.made) this.#factory?.release();
    const release = this.#caller?.release;
    if (release) whenRead(response, this.route.policy.clock, release);
  }
}
