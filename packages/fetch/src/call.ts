import { type HeaderChanges, HookError, type Outcome } from '@ebb/core';
import {
  type Aside,
  drain,
  type Exchange,
  type Followed,
  failureKind,
  followForeign,
  isNativeFetch,
  type MakeBody,
  type Peek,
  type Session,
  systemClock,
  timeoutError,
} from '@ebb/core/adapter';
import { failedToConnectTo, Hops, recordConnectErrors, whenBodyEnds } from '#platform';
import { setAside } from './body/aside.ts';
import { peekAt } from './body/peek.ts';
import type { Upload } from './body/upload.ts';
import { type Bounded, type Bounds, bounded } from './bounded.ts';
import type { InitChanges } from './changes.ts';
import { isRefusedByRuntime } from './foreign-signal.ts';
import { ResponseOutcome } from './outcome.ts';
import type { FetchRequest } from './request.ts';

/** Cancels a response that arrives after its attempt has ended, from a base fetch that ignores its signal. */
function dropLate(response: Response): void {
  void drain(response?.body, undefined, systemClock, AbortSignal.abort());
}

/** Sends the attempts of one call of `fetch`. */
export class Call implements Exchange<Response> {
  readonly #baseFetch: typeof fetch;
  #request: FetchRequest;
  #session: Session | undefined;
  #upload: Upload | undefined;
  /** The state of the attempt under way, if a timeout or a signal can end it. */
  #bounded: Bounded | undefined;
  #hops: InstanceType<NonNullable<typeof Hops>> | undefined;
  #isWatched = false;
  #status = 0;
  /** There if the caller's signal is that of another library. */
  declare private readonly followed?: Followed;

  constructor(baseFetch: typeof fetch, request: FetchRequest) {
    this.#baseFetch = baseFetch;
    this.#request = request;
    const followed = request.signal && followForeign(request.signal);
    if (followed !== undefined) this.followed = followed;
  }

  /** The caller's signal, or a native one that follows it. */
  get signal(): AbortSignal | undefined {
    return this.followed?.signal ?? this.#request.signal;
  }

  /** True if {@link end} has to be called. */
  get mayLeaveOpen(): boolean {
    return this.followed !== undefined || this.#request.mayLeaveOpen;
  }

  /** True if the base fetch reports the caller's signal: one that has aborted, or one that it does not accept. */
  get #keepsSignal(): boolean {
    const { signal } = this.#request;
    if (this.followed === undefined || signal === undefined) return false;
    return signal.aborted || (isNativeFetch(this.#baseFetch) && isRefusedByRuntime(signal));
  }

  /** As it is sent now. */
  get request(): FetchRequest {
    return this.#request;
  }

  get makeBody(): MakeBody | undefined {
    return this.#request.hasFactory ? this.#makeBody.bind(this) : undefined;
  }

  async #makeBody(state: { readonly over: boolean }): Promise<void> {
    this.#upload ??= this.#request.upload(false);
    await this.#upload?.make(() => state.over);
  }

  send(session: Session): Promise<Response> {
    const { attempt, policy } = session;
    const { maxRetries } = policy;
    const { signal } = this;
    const timeoutMs = session.timeoutMs();
    this.#session = session;
    if (attempt === 1) this.#upload ??= this.#request.upload(maxRetries > 0 && signal?.aborted !== true);
    if (policy.bucket !== undefined) recordConnectErrors?.();
    const mayRetry = attempt <= maxRetries;
    this.#hops = Hops && mayRetry && this.#request.needsProof(policy) ? new Hops() : undefined;
    if (timeoutMs === undefined && signal === undefined) return this.#attempt();
    return this.#sendBounded(session, timeoutMs, signal);
  }

  /** The first attempt was sent before the call was made. */
  sent(session: Session): void {
    this.#session = session;
    this.#upload = this.#request.upload(false);
  }

  /** A method of its own: its closure is allocated as soon as it is called. */
  #sendBounded(
    session: Session,
    timeoutMs: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { clock } = session.policy;
    const error = (): DOMException => timeoutError(session.namedTimeoutMs);
    return this.#bound({ clock, timeoutMs, timeoutError: error, signal, keepsSignal: this.#keepsSignal });
  }

  /** Sends without a policy. Only a body factory still needs ebb. */
  sendBare(): Promise<Response> {
    this.#upload = this.#request.upload(false);
    const { signal } = this;
    if (this.#upload?.factory === undefined || signal === undefined) return this.#attempt();
    return this.#bound({ clock: systemClock, timeoutMs: undefined, signal, keepsSignal: true });
  }

  #bound(bounds: Bounds): Promise<Response> {
    const start = (state: Bounded): Promise<Response> => {
      this.#bounded = state;
      return this.#attempt();
    };
    return bounded(bounds, start, dropLate);
  }

  #attempt(): Promise<Response> {
    const headers = this.#session?.headerChanges;
    const upload = this.#upload;
    if (upload === undefined) return this.#sendWith(undefined, headers);
    return upload.isMissing ? this.#makeAndSend(upload, headers) : this.#sendWith(upload.takeBody(), headers);
  }

  /** Without a policy, and after an abort, which is for the base fetch to report. */
  async #makeAndSend(upload: Upload, headers: HeaderChanges | undefined): Promise<Response> {
    await this.#makeBody(this.#bounded ?? { over: false });
    return this.#sendWith(upload.takeBody(), headers);
  }

  #sendWith(body: InitChanges | undefined, headers: HeaderChanges | undefined): Promise<Response> {
    const made = headers === undefined ? body : { ...body, headers: this.#request.changedHeaders(headers) };
    const layer = this.#session?.layer;
    if (this.#hops !== undefined || layer !== undefined) return this.#sendObserved(made, layer);
    return this.#request.sendWith(this.#baseFetch, made, this.#bounded?.signal, undefined);
  }

  /** Sends for layers below, or counts hops. A method of its own, for its closures. */
  #sendObserved(made: InitChanges | undefined, layer: object | undefined): Promise<Response> {
    const session = this.#session;
    const hops = this.#hops;
    const signal = this.#bounded?.signal;
    const send = (): Promise<Response> => this.#request.sendWith(this.#baseFetch, made, signal, layer);
    const sendLayered = layer === undefined || session === undefined ? send : () => session.sending(send);
    return hops === undefined ? sendLayered() : hops.count(sendLayered);
  }

  outcome(response: Response): Outcome {
    const outcome = new ResponseOutcome(response);
    this.#status = outcome.status;
    return outcome;
  }

  failure(error: unknown): Outcome {
    if (error instanceof HookError) return { type: 'failure', kind: 'unknown', error };
    const kind = this.#bounded?.timedOut ? 'timeout' : failureKind(error);
    if (kind !== 'connect') return { type: 'failure', kind, error };
    const { method, url, followsRedirects } = this.#request;
    if (this.#hops === undefined) {
      const isFirst = !followsRedirects || failedToConnectTo?.(error, url) === true;
      return { type: 'failure', kind, error, redirected: isFirst ? false : undefined };
    }
    return { type: 'failure', kind, error, redirected: !this.#hops.failedAtFirst(method, url) };
  }

  peek(response: Response): Peek | undefined {
    return peekAt(response);
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    this.#request = this.#request.forRetry();
    const aside = setAside(settled, session, signal);
    const upload = this.#upload;
    // Not before the response has been read: closing the upload may break the response.
    if (aside === undefined) upload?.endAttempt();
    else if (upload?.isOpen) void aside.released.then(() => upload.endAttempt());
    return aside;
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    return this.#watch(settled, () => {
      ended();
      this.#upload?.endAttempt();
    });
  }

  #watch(settled: unknown, ended: () => void): unknown {
    this.#isWatched = true;
    const { method, signal } = this.#request;
    const clock = this.#session?.policy.clock ?? systemClock;
    const watch = this.#session?.whenBodyEnds ?? whenBodyEnds;
    watch?.(settled, { method, status: this.#status, signal, clock }, ended);
    return settled;
  }

  /** An abort while the body is read closes the connection as well. */
  #endFollowing(settled: unknown, failed: boolean): void {
    const followed = this.followed;
    if (followed === undefined) return;
    if (failed || this.#bounded?.signal === undefined) followed.release();
    else this.#watch(settled, () => followed.release());
  }

  unsent(reason: unknown): void {
    this.#request.cancelUpload(reason);
  }

  /** Ends the call. Closes its upload at once, or when the body of the response has ended. */
  end(settled: unknown, failed: boolean): void {
    this.#endFollowing(settled, failed);
    const upload = this.#upload;
    if (upload === undefined) return;
    upload.stopKeeping();
    // Also a body that was made for an attempt that is not sent.
    if (failed || upload.isUnsent) upload.endAttempt();
    else if (upload.isOpen && !this.#isWatched) this.#watch(settled, () => upload.endAttempt());
  }
}
