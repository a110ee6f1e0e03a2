import type { Aside, Exchange, Outcome, RequestTraits, Session } from '@ebb/core';
import axios, { type AxiosAdapter, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { isOnce } from './body.ts';
import { whenBodyEnds } from './body-end.ts';
import { type CallerSignal, callerSignal } from './cancel.ts';
import { discard } from './discard.ts';
import { FormBody } from './form-body.ts';
import { sendWithin } from './limit.ts';
import type { BodyFactory, MadeBody } from './made-body.ts';
import { failureOf, headerOf, outcomeOf } from './outcome.ts';

/** Puts URLs together as axios does, with no defaults of its own to mix in. */
const bare = new axios.Axios({});

/**
 * One request on its way to an adapter: what a policy may know of it, and how an attempt of it is sent.
 *
 * The config that axios made for the request is given to the adapter itself, not a copy, so that the response
 * or error that comes of it holds the very same. What an attempt changes in it is put back.
 */
export class Call implements RequestTraits, Exchange<AxiosResponse> {
  /** Whether the loop runs. */
  underWay = true;
  readonly #adapter: AxiosAdapter;
  readonly #config: InternalAxiosRequestConfig;
  readonly #data: unknown;
  readonly #caller: CallerSignal | undefined;
  /** What is sent in place of `data`. */
  #body: MadeBody | FormBody | undefined;
  readonly #bytes: number | undefined;
  #headers: object | undefined;

  constructor(adapter: AxiosAdapter, config: InternalAxiosRequestConfig, made: MadeBody | undefined) {
    this.#adapter = adapter;
    this.#config = config;
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
    return (this.#config.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    const url = bare.getUri(this.#config);
    const base = globalThis.location?.href;
    return base !== undefined && URL.canParse(url, base) ? new URL(url, base).href : url;
  }

  header(name: string): string | undefined {
    return headerOf(this.#config.headers, name);
  }

  get replayable(): boolean {
    this.#body ??= FormBody.of(this.#data);
    return this.#body !== undefined || (!isOnce(this.#data) && byteLength(this.#data) === this.#bytes);
  }

  get signal(): AbortSignal | undefined {
    return this.#caller?.signal;
  }

  send(session: Session): Promise<AxiosResponse> {
    const config = this.#config;
    if (session.attempt === 1) {
      this.#headers = Object.assign({}, config.headers);
      if (session.policy.maxRetries > 0) this.#body ??= FormBody.of(this.#data);
    } else {
      // Adapters write into the headers, a length and a boundary above all; each attempt gets them unwritten.
      config.headers = Object.assign(Object.create(Object.getPrototypeOf(config.headers)), this.#headers);
    }
    return this.#body === undefined ? this.#dispatch(session) : this.#sendBody(session, this.#body);
  }

  async #sendBody(session: Session, body: MadeBody | FormBody): Promise<AxiosResponse> {
    this.#config.data = await body.next(this.#config, this.#data as BodyFactory);
    this.signal?.throwIfAborted();
    return this.#dispatch(session);
  }

  #dispatch({ policy }: Session): Promise<AxiosResponse> {
    return policy.attemptTimeoutMs === undefined
      ? this.#adapter(this.#config)
      : sendWithin(policy.attemptTimeoutMs, policy.clock, this.#adapter, this.#config);
  }

  outcome(response: AxiosResponse): Outcome {
    return outcomeOf(response);
  }

  failure(error: unknown): Outcome {
    return failureOf(error);
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    this.releaseBody();
    const released = discard(settled, session.policy.clock, signal);
    return released && { released };
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    whenBodyEnds(settled, ended);
    return settled;
  }

  /** Lets go of what was opened for the attempt, where it was not read. */
  releaseBody(): void {
    this.#body?.release();
  }

  /** Puts back what was changed in the config, and lets go of the caller's signal. */
  end(): void {
    this.underWay = false;
    if (this.#body !== undefined) this.#config.data = this.#data;
    this.#caller?.release();
  }
}

/** How many bytes a buffer holds; one that was moved to a worker in the meantime holds none. */
function byteLength(data: unknown): number | undefined {
  return typeof data === 'object' && data !== null ? (data as ArrayBufferView).byteLength : undefined;
}
