import { HookError, type Outcome } from '@ebb/core';
import {
  type Aside,
  drain,
  type Exchange,
  failureKind,
  LAYER,
  type MakeBody,
  type Opened,
  type Session,
  systemClock,
} from '@ebb/core/adapter';
import {
  failedToConnectTo,
  followForeign,
  Hops,
  keepsForeign,
  recordConnectErrors,
  sharesResponses,
  unshared,
  whenBodyEnds,
} from '#platform';
import { type Bounded, bounded } from './bounded.ts';
import { CallTraits } from './call-traits.ts';
import type { EbbRequestInit, FetchInput } from './init.ts';
import { changedHeaders, type InitChanges, needsMark, withChanges } from './request.ts';
import { ResponseOutcome, setAside } from './response.ts';
import { cancelUpload, Upload } from './upload.ts';

/** Cancels a response that arrives after its attempt has ended, from a base fetch that ignores its signal. */
function dropLate(response: Response): void {
  void drain(response?.body, undefined, systemClock, AbortSignal.abort());
}

/** One call of `fetch`, and how each of its attempts is sent. */
export class Call extends CallTraits implements Exchange<Response> {
  readonly #baseFetch: typeof fetch;
  #session: Session | undefined;
  /** The state of the attempt under way, if a timeout or a signal can end it. */
  #bounded: Bounded | undefined;
  #hops: InstanceType<NonNullable<typeof Hops>> | undefined;
  #isWatched = false;
  #status = 0;

  constructor(baseFetch: typeof fetch, input: FetchInput, init: EbbRequestInit | undefined) {
    super(input, init);
    this.#baseFetch = baseFetch;
  }

  /** True if {@link end} has to be called: the source of the body may still be open, or the signal is followed. */
  get mayLeaveOpen(): boolean {
    return (
      (followForeign && this.followed !== undefined) ||
      this.request !== undefined ||
      this.makeBody !== undefined
    );
  }

  get makeBody(): MakeBody | undefined {
    return typeof this.init?.body === 'function' ? this.#makeBody.bind(this) : undefined;
  }

  #makeBody(state: { readonly over: boolean }): Promise<void> {
    return (this.#open(false) as Upload).make(state);
  }

  /** Inspects the body, before the first attempt. */
  #open(isKept: boolean): Upload | undefined {
    const body = this.init?.body ?? undefined;
    const request = body === undefined ? this.request : undefined;
    if (body !== undefined || request?.body) this.upload ??= new Upload(body, request, isKept);
    return this.upload;
  }

  send(session: Session): Promise<Response> {
    const { attempt, policy } = session;
    const { maxRetries } = policy;
    const { signal } = this;
    const timeoutMs = session.timeoutMs();
    this.#session = session;
    if (attempt === 1) this.#open(maxRetries > 0 && signal?.aborted !== true);
    if (recordConnectErrors && policy.bucket !== undefined) recordConnectErrors();
    if (Hops) this.#hops = attempt <= maxRetries && this.needsProof(policy) ? new Hops() : undefined;
    if (timeoutMs === undefined && signal === undefined) return this.#attempt();
    const keepsOwn = !!keepsForeign && !!this.followed && keepsForeign(this.own, this.#baseFetch);
    return this.#bound(session, timeoutMs, keepsOwn);
  }

  /** Sends without a policy. Only a body factory still needs ebb. */
  sendBare(): Promise<Response> {
    this.#open(false);
    const isBound = this.makeBody !== undefined && this.signal !== undefined;
    return isBound ? this.#bound(undefined, undefined, true) : this.#attempt();
  }

  #bound(
    session: Session | undefined,
    timeoutMs: number | undefined,
    keepsSignal: boolean,
  ): Promise<Response> {
    const start = (state: Bounded): Promise<Response> => {
      this.#bounded = state;
      return this.#attempt();
    };
    return bounded(start, dropLate, this.signal, session, timeoutMs, keepsSignal);
  }

  #attempt(): Promise<Response> {
    if (!this.upload?.isMissing) return this.#sendNow();
    // Without a policy, and after an abort, which is for the base fetch to report.
    return this.#makeBody(this.#bounded ?? { over: false }).then(() => this.#sendNow());
  }

  /** Calls the base fetch, with the caller's own arguments if nothing has to change. */
  #sendNow(): Promise<Response> {
    const session = this.#session;
    const layer = session?.layer;
    const changes = this.#changes(layer);
    if (layer === undefined && !(Hops && this.#hops)) return this.#callBase(changes);
    return this.#sendObserved(changes, layer && session);
  }

  #callBase(changes: InitChanges | undefined): Promise<Response> {
    const baseFetch = this.#baseFetch;
    return changes === undefined
      ? baseFetch(this.input, this.init as RequestInit)
      : baseFetch(...withChanges(this.input, this.init, changes));
  }

  /** Sends for layers below, or counts hops. A method of its own: closures are allocated as soon as it is called. */
  #sendObserved(changes: InitChanges | undefined, layered: Session | undefined): Promise<Response> {
    const send = (): Promise<Response> => this.#callBase(changes);
    const sendLayered = layered ? () => layered.sending(send) : send;
    return Hops && this.#hops ? this.#hops.count(sendLayered) : sendLayered();
  }

  #changes(layer: object | undefined): InitChanges | undefined {
    const init = this.init;
    const signal = this.#bounded?.signal;
    const body = this.upload?.takeBody();
    const changed = this.#session?.headerChanges;
    const isMarked = layer !== undefined && needsMark(init);
    let headers: HeadersInit | undefined = this.headers;
    const isChanged = body ?? signal ?? changed ?? headers ?? init?.ebb;
    if (isChanged === undefined && !isMarked) return undefined;

    if (changed) headers = changedHeaders(headers ?? this.member('headers'), changed);
    const changes: InitChanges = { ...body, ...(headers && { headers }), ...(layer && { [LAYER]: layer }) };
    // An invalid signal stays in place, so that the base fetch throws.
    if (signal && (this.own || !init?.signal)) changes.signal = signal;
    return changes;
  }

  outcome(response: Response): Outcome {
    const outcome = new ResponseOutcome(response);
    this.#status = outcome.status;
    return outcome;
  }

  failure(error: unknown): Outcome {
    if (error instanceof HookError) return { type: 'failure', kind: 'unknown', error };
    const kind = this.#bounded?.timedOut ? 'timeout' : failureKind(error);
    let redirected: boolean | undefined;
    if (kind === 'connect') {
      if (Hops && this.#hops) redirected = !this.#hops.failedAtFirst(this.method, this.url);
      else if (!this.followsRedirects) redirected = false;
      else if (failedToConnectTo?.(error, this.url)) redirected = false;
    }
    return { type: 'failure', kind, error, redirected };
  }

  peek(response: Response): Opened {
    return response;
  }

  setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
    // The retry must not get the response of this attempt.
    if (sharesResponses && unshared && sharesResponses(this.method)) {
      [this.input, this.init] = unshared(this.input, this.init, this.headers, this.own);
      this.request = undefined;
      this.own ??= this.init.signal ?? undefined;
    }
    const aside = setAside(settled, session, signal);
    const upload = this.upload;
    // Not before the response has been read: closing the upload may break the response.
    if (aside === undefined) upload?.endAttempt();
    else if (upload?.isOpen) void aside.released.then(() => upload.endAttempt());
    return aside;
  }

  whenBodyEnds(settled: unknown, ended: () => void): unknown {
    return this.#watch(settled, () => {
      ended();
      this.upload?.endAttempt();
    });
  }

  #watch(settled: unknown, ended: () => void): unknown {
    this.#isWatched = true;
    const clock = this.#session?.policy.clock ?? systemClock;
    const watch = this.#session?.whenBodyEnds ?? whenBodyEnds;
    if (watch) watch(settled, { method: this.method, status: this.#status, signal: this.own, clock }, ended);
    return settled;
  }

  /** The call has ended before it was sent. Closes the source of the body. */
  unsent(reason: unknown): void {
    const body = this.init?.body ?? this.request?.body;
    if (typeof body !== 'function') cancelUpload(body, reason);
  }

  /** Ends the call. Closes its upload at once, or when the body of the response has ended. */
  end(settled: unknown, failed: boolean): void {
    const followed = followForeign && this.followed;
    // An abort while the body is read closes the connection as well.
    if (followed && (failed || this.#bounded?.signal === undefined)) followed.release();
    else if (followed) this.#watch(settled, () => followed.release());
    const upload = this.upload;
    if (upload === undefined) return;
    upload.stopKeeping();
    // Also a body that was made for an attempt that is not sent.
    if (failed || upload.isUnsent) upload.endAttempt();
    else if (upload.isOpen && !this.#isWatched) this.#watch(settled, () => upload.endAttempt());
  }
}
