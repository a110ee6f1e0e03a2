import {
  type Aside,
  drain,
  type Exchange,
  failureKind,
  HookError,
  type Outcome,
  type RequestTraits,
  type Session,
} from '@ebb/core';
import { bufferBytes, isOnce, type KeptBody, keepBody } from './body.ts';
import { whenBodyEnds } from './body-end.ts';
import {
  type BodyFactory,
  changed,
  type EbbRequestInit,
  type FetchInput,
  type InitChanges,
  isRequest,
} from './init.ts';

/** One call of fetch: what a policy may know of it, and how an attempt of it is sent. */
export class Call implements RequestTraits, Exchange<Response> {
  /** To be called without a receiver: browsers and workers take no other than their global object. */
  readonly #baseFetch: typeof fetch;
  readonly #input: FetchInput;
  readonly #init: EbbRequestInit | undefined;
  /** The input, where it is a `Request`. */
  readonly #request: Request | undefined;
  #kept: KeptBody | undefined;
  #firstBytes: number | undefined;
  #timedOut = false;

  constructor(baseFetch: typeof fetch, input: FetchInput, init: EbbRequestInit | undefined) {
    this.#baseFetch = baseFetch;
    this.#input = input;
    this.#init = init;
    this.#request = isRequest(input) ? input : undefined;
  }

  get method(): string {
    return (this.#init?.method ?? this.#request?.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    return this.#request?.url ?? String(this.#input);
  }

  get signal(): AbortSignal | undefined {
    const own = this.#init?.signal;
    return (own === undefined ? this.#request?.signal : own) ?? undefined;
  }

  header(name: string): string | undefined {
    const headers = new Headers(this.#init?.headers ?? this.#request?.headers);
    return headers.get(name) ?? undefined;
  }

  get replayable(): boolean {
    const body = this.#init?.body;
    if (body === undefined || body === null) return !this.#request?.body || this.#kept?.whole !== undefined;
    return !isOnce(body) && bufferBytes(body) === this.#firstBytes;
  }

  send(session: Session): Promise<Response> {
    const body = this.#init?.body;
    if (typeof body === 'function') return this.#sendMade(session, body);
    if (session.attempt === 1) this.#prepare(session.policy.maxRetries);
    const whole = session.attempt > 1 ? this.#kept?.whole : undefined;
    if (whole !== undefined) return this.#sendChanged(session, { body: whole });
    if (session.policy.attemptTimeoutMs !== undefined) return this.#sendChanged(session, {});
    return this.#sendAsItCame();
  }

  /** As if ebb were not there, but for a body that only ebb knows how to make. */
  sendBare(): Promise<Response> {
    const body = this.#init?.body;
    return typeof body === 'function' ? this.#sendMade(undefined, body) : this.#sendAsItCame();
  }

  /** The very arguments of the caller; fetch ignores members of an init that it does not know. */
  #sendAsItCame(): Promise<Response> {
    const send = this.#baseFetch;
    return send(this.#input, this.#init as RequestInit);
  }

  /** What must be known of the body before it is sent, to tell later whether it can be sent again. */
  #prepare(maxRetries: number): void {
    const body = this.#init?.body;
    if (body !== undefined && body !== null) this.#firstBytes = bufferBytes(body);
    else if (maxRetries > 0 && this.#request?.body && !this.#request.bodyUsed) {
      this.#kept = keepBody(this.#request);
    }
  }

  async #sendMade(session: Session | undefined, factory: BodyFactory): Promise<Response> {
    let body: BodyInit;
    try {
      body = await factory();
    } catch (cause) {
      throw new HookError('body', cause);
    }
    return this.#sendChanged(session, isOnce(body) ? { body, duplex: 'half' } : { body });
  }

  async #sendChanged(session: Session | undefined, changes: InitChanges): Promise<Response> {
    const send = this.#baseFetch;
    const attemptTimeoutMs = session?.policy.attemptTimeoutMs;
    if (session === undefined || attemptTimeoutMs === undefined)
      return send(...changed(this.#input, this.#init, changes));
    this.#timedOut = false;
    const timeout = new AbortController();
    const callOff = session.policy.clock.schedule(() => {
      this.#timedOut = true;
      timeout.abort(new DOMException(`no response within ${attemptTimeoutMs} ms`, 'TimeoutError'));
    }, attemptTimeoutMs);
    // The caller's signal goes on to reach the response's body, after the timer is off.
    const caller = this.signal;
    const signal = caller === undefined ? timeout.signal : AbortSignal.any([caller, timeout.signal]);
    try {
      return await send(...changed(this.#input, this.#init, { ...changes, signal }));
    } finally {
      callOff();
    }
  }

  outcome(response: Response): Outcome {
    return {
      type: 'response',
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
    };
  }

  failure(error: unknown): Outcome {
    if (error instanceof HookError) return { type: 'failure', kind: 'unknown', error };
    return { type: 'failure', kind: this.#timedOut ? 'timeout' : failureKind(error), error };
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    return whenBodyEnds(settled as Response, ended);
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    // What fetch rejects with is an error, never a response.
    const isResponse = typeof settled === 'object' && settled !== null && 'headers' in settled;
    if (!isResponse) return undefined;
    const { body, headers } = settled as Response;
    return { released: drain(body, headers.get('content-length'), session.policy.clock, signal) };
  }
}
