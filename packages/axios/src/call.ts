import type { Outcome, Policy, RequestTraits } from '@ebb/core';
import { type Aside, type Exchange, onAbort, type Session } from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { sendWithin } from './attempt-timeout.ts';
import { type Copy, needCopy } from './axios-copy.ts';
import { whenBodyEnds } from './body/body-end.ts';
import { FormBody } from './body/buffered-form.ts';
import { breakOffUpload, setAside } from './body/discard.ts';
import type { BodyFactory, MadeBody } from './body/factory-body.ts';
import { closeBody, isNodeReadable, isOnce, isWebReadable } from './body/stream.ts';
import { type CallerSignal, callerSignal } from './cancel.ts';
import { LayerMark } from './layer-mark.ts';
import { failureOf, headerOf, outcomeOf } from './outcome.ts';
import { urlOf } from './url.ts';

/**
 * One request on its way to an adapter: what a policy may know of it, and how an attempt of it is sent.
 *
 * The config that axios made for the request is given to the adapter itself, not a copy, so that the response
 * or error that comes of it holds the very same. What an attempt changes in it is put back.
 */
export class Call implements RequestTraits, Exchange<AxiosResponse> {
  /** Whether the loop runs. */
  underWay = true;
  readonly policy: Policy;
  readonly config: InternalAxiosRequestConfig;
  readonly #adapter: AxiosAdapter;
  readonly #copy: Copy | undefined;
  readonly #data: unknown;
  readonly #caller: CallerSignal | undefined;
  /** What is sent in place of `data`. */
  #body: MadeBody | FormBody | undefined;
  readonly #bytes: number | undefined;
  #headers: object | undefined;
  #url: string | undefined;
  #session: Session | undefined;
  #mark: LayerMark | undefined;

  constructor(
    policy: Policy,
    adapter: AxiosAdapter,
    copy: Copy | undefined,
    config: InternalAxiosRequestConfig,
    made: MadeBody | undefined,
  ) {
    this.policy = policy;
    this.#adapter = adapter;
    this.#copy = copy;
    this.config = config;
    this.#data = config.data;
    this.#bytes = byteLength(config.data);
    if (typeof config.data === 'function') {
      // The transforms have been at it, and an adapter may send its source text.
      if (made === undefined)
        throw new TypeError('data: a function must be there before ebb’s interceptor runs');
      this.#body = made;
    }
    this.#caller = callerSignal(config);
  }

  get method(): string {
    return (this.config.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    this.#url ??= urlOf(this.config);
    return this.#url;
  }

  header(name: string): string | undefined {
    return headerOf(this.config.headers, name);
  }

  get replayable(): boolean {
    this.#body ??= FormBody.of(this.#data);
    return this.#body !== undefined || (!isOnce(this.#data) && byteLength(this.#data) === this.#bytes);
  }

  get signal(): AbortSignal | undefined {
    return this.#caller?.signal;
  }

  send(session: Session): Promise<AxiosResponse> {
    const { config } = this;
    this.#session = session;
    if (session.attempt === 1) {
      this.#headers = Object.assign({}, config.headers);
      if (session.policy.maxRetries > 0) this.#body ??= FormBody.of(this.#data);
    } else {
      // Adapters write into the headers, a length and a boundary above all; each attempt gets them unwritten.
      config.headers = Object.assign(Object.create(Object.getPrototypeOf(config.headers)), this.#headers);
    }
    return session.policy.attemptTimeoutMs === undefined ? this.#sendOne(session) : this.#sendWithin(session);
  }

  #sendWithin(session: Session): Promise<AxiosResponse> {
    const { attemptTimeoutMs: limitMs = 0, clock } = session.policy;
    const copy = needCopy(this.#copy);
    const send = () => this.#sendOne(session);
    return sendWithin({ limitMs, clock, copy, config: this.config, send, giveUp: () => this.releaseBody() });
  }

  #sendOne(session: Session): Promise<AxiosResponse> {
    return this.#body === undefined ? this.#dispatch(session) : this.#sendBody(session, this.#body);
  }

  async #sendBody(session: Session, body: MadeBody | FormBody): Promise<AxiosResponse> {
    this.config.data = await this.#orAbort(body.next(this.config, this.#data as BodyFactory));
    return this.#dispatch(session);
  }

  /** Waits for a body, but no longer than the caller does. */
  #orAbort(body: unknown): Promise<unknown> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.releaseBody();
        reject(signal?.reason);
      };
      const unwatch = signal && onAbort(signal, abort);
      Promise.resolve(body)
        .finally(unwatch)
        .then((made) => (signal?.aborted ? abort() : resolve(made)), reject);
    });
  }

  #dispatch(session: Session): Promise<AxiosResponse> {
    if (session.layer !== undefined) {
      this.#mark ??= new LayerMark(this.config, this.#adapter);
      this.#mark.set(session.layer);
    }
    return session.sending(() => this.#adapter(this.config));
  }

  outcome(response: AxiosResponse): Outcome {
    const { signal } = this;
    // axios makes an error of it.
    if (signal?.aborted) return { type: 'failure', kind: 'aborted', error: signal.reason };
    return outcomeOf(response, this);
  }

  failure(error: unknown): Outcome {
    return failureOf(error, this);
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    this.releaseBody();
    return setAside(settled, session, signal);
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    if (this.#session === undefined) ended();
    else whenBodyEnds(settled, this.#session.policy.clock, ended);
    return settled;
  }

  unsent(reason: unknown): void {
    closeBody(this.#data, reason);
  }

  /**
   * Closes the body that was made for the last attempt, which failed, unless it was read to its end. A response
   * may have come before that; its own body, if it is streamed, is read to its end first.
   */
  closeUpload(response: AxiosResponse | undefined): void {
    if (this.#body?.isOpen !== true) return;
    const data: unknown = response?.data;
    if (isNodeReadable(data)) return void data.on('close', () => this.releaseBody());
    if (isWebReadable(data)) return;
    this.releaseBody();
    breakOffUpload(response?.request);
  }

  /** Lets go of what was opened for the attempt, where it was not read. */
  releaseBody(): void {
    this.#body?.release();
  }

  /** Puts back what was changed in the config, and lets go of the caller's signal. */
  end(): void {
    this.underWay = false;
    if (this.#body !== undefined) this.config.data = this.#data;
    this.#mark?.remove();
    this.#caller?.release();
  }
}

/** How many bytes a buffer holds; one that was moved to a worker in the meantime holds none. */
function byteLength(data: unknown): number | undefined {
  return typeof data === 'object' && data !== null ? (data as ArrayBufferView).byteLength : undefined;
}
