import type { Outcome, Policy } from '@ebb/core';
import type { Aside, Exchange, Session } from '@ebb/core/adapter';
import type { AxiosAdapter, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import { sendWithTimeout } from './attempt-timeout.ts';
import { type AxiosCopy, needCopy } from './axios-copy.ts';
import { whenBodyEnds } from './body/body-end.ts';
import { discardForRetry } from './body/discard.ts';
import type { FactoryBody } from './body/factory-body.ts';
import { RequestBody } from './body/request-body.ts';
import { type CallerSignal, callerSignal, unlessAborted } from './cancel.ts';
import { LayerMark } from './layer-mark.ts';
import { failureOf, outcomeOf } from './outcome.ts';
import { Traits } from './traits.ts';

/** The call that is under way with a config. A copy of the config refers to the same call. */
const CALL: unique symbol = Symbol.for('@ebb/axios call');

type CallConfig = InternalAxiosRequestConfig & { [CALL]?: Call };

/** Whether a call under this policy is already under way with the config, or with the one that it was copied from. */
export function isUnderWay(policy: Policy, config: CallConfig): boolean {
  const call = config[CALL];
  return call?.underWay === true && call.policy === policy;
}

/** What the interceptor knows of a request when its adapter is called. */
export interface CallSetup {
  readonly policy: Policy;
  readonly adapter: AxiosAdapter;
  /** The copy of axios that the request belongs to, if it is known. */
  readonly copy: AxiosCopy | undefined;
  /** There if `data` is a function. */
  readonly factory: FactoryBody | undefined;
}

/**
 * One call of an axios method, and how each of its attempts is sent.
 *
 * The adapter gets the caller's config itself, not a copy, because the response or error must refer to that object.
 * {@link end} restores what the attempts changed in it.
 */
export class Call implements Exchange<AxiosResponse> {
  underWay = false;
  readonly policy: Policy;
  readonly config: CallConfig;
  readonly copy: AxiosCopy | undefined;
  readonly traits: Traits;
  readonly #adapter: AxiosAdapter;
  readonly #body: RequestBody;
  #caller: CallerSignal | undefined;
  /** The call of another policy that is under way with the same config. */
  #outer: Call | undefined;
  /** The headers as they were before the first attempt. */
  #headers: object | undefined;
  #session: Session | undefined;
  #mark: LayerMark | undefined;

  constructor(config: InternalAxiosRequestConfig, { policy, adapter, copy, factory }: CallSetup) {
    this.policy = policy;
    this.config = config;
    this.copy = copy;
    this.#adapter = adapter;
    this.#body = new RequestBody(config.data, factory);
    this.traits = new Traits(config, this.#body);
  }

  get signal(): AbortSignal | undefined {
    return this.#caller?.signal;
  }

  begin(): void {
    this.underWay = true;
    this.#caller = callerSignal(this.config);
    this.#outer = this.config[CALL];
    this.config[CALL] = this;
  }

  send(session: Session): Promise<AxiosResponse> {
    this.#session = session;
    if (session.attempt === 1) this.#prepareFirst(session);
    else this.#resetHeaders();

    const send = (): Promise<AxiosResponse> =>
      this.#body.isReplaced ? this.#makeBodyAndDispatch(session) : this.#dispatch(session);
    const { attemptTimeoutMs: timeoutMs, clock } = session.policy;
    if (timeoutMs === undefined) return send();
    const copy = needCopy(this.copy);
    const timedOut = (): void => this.#body.release();
    return sendWithTimeout({ timeoutMs, clock, copy, config: this.config, send, timedOut });
  }

  #prepareFirst(session: Session): void {
    this.#headers = Object.assign({}, this.config.headers);
    if (session.policy.maxRetries > 0) this.#body.bufferForm();
  }

  /** Adapters write into the headers, a length and a boundary for example. */
  #resetHeaders(): void {
    const { config } = this;
    config.headers = Object.assign(Object.create(Object.getPrototypeOf(config.headers)), this.#headers);
  }

  async #makeBodyAndDispatch(session: Session): Promise<AxiosResponse> {
    const body = this.#body.next(this.config);
    this.config.data = await unlessAborted(body, this.signal, () => this.#body.release());
    return this.#dispatch(session);
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
    // The caller will get a CanceledError.
    if (signal?.aborted) return { type: 'failure', kind: 'aborted', error: signal.reason };
    return outcomeOf(response, this.traits);
  }

  failure(error: unknown): Outcome {
    return failureOf(error, this.traits);
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    this.#body.release();
    return discardForRetry(settled, session, signal);
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    if (this.#session === undefined) ended();
    else whenBodyEnds(settled, this.#session.policy.clock, ended);
    return settled;
  }

  unsent(reason: unknown): void {
    this.#body.closeUnsent(reason);
  }

  /** Ends an upload that the last attempt, which failed, has left unfinished. */
  closeUpload(response: AxiosResponse | undefined): void {
    this.#body.closeUpload(response?.data, response?.request);
  }

  /** Restores the config, and removes the listeners from the caller's signal. */
  end(): void {
    this.underWay = false;
    this.#body.restore(this.config);
    this.#mark?.remove();
    this.#caller?.release();
    if (this.#outer === undefined) delete this.config[CALL];
    else this.config[CALL] = this.#outer;
  }
}
