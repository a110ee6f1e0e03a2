import type { Outcome, RequestTraits } from '@ebb/core';
import {
  type Aside,
  type Call,
  type Deadline,
  type FollowUpload,
  failureKind,
  HookError,
  hasContext,
  isIdempotent,
  isNodeReadable,
  isWebReadable,
  LAYER,
  layerOf,
  type MakeBody,
  maySendAgain,
  nativeSignal,
  type OpenedBody,
  property,
  readableBody,
  sendWithin,
  type Transport,
  timeoutError,
  timeoutOf,
} from '@ebb/core/adapter';
import {
  copyForAttempt,
  type Hops,
  hopsOf,
  isLostConnection,
  wasRedirected,
  whenBodyEnds,
  whenRead,
} from '#platform';
import { type AttemptState, boundAttempt, ResponseOutcome, setAside, withBody } from './attempt.ts';
import type { EbbRequestInit, FetchInit, FetchInput } from './request.ts';
import {
  absoluteUrl,
  changedHeaders,
  copyArguments,
  headerIn,
  type InitChanges,
  isRequest,
  type LayerMembers,
  membersOf,
  withChanges,
  withRereadableBody,
} from './request.ts';
import { Upload } from './upload.ts';

/** A request of `fetch`: the traits that policies and hooks see, and how each of its attempts is sent. */
export class FetchRequest implements RequestTraits, Transport<Response> {
  readonly #baseFetch: typeof fetch;
  #input: FetchInput;
  #init: (EbbRequestInit & LayerMembers) | undefined;
  /** The input, if it is a `Request`. */
  #request: Request | undefined;
  readonly signal: AbortSignal | undefined;
  #upload: Upload | undefined;
  readonly followUpload: FollowUpload | undefined;
  #running: Call | undefined;
  /** The state of the attempt under way, if a timeout or a signal can end it. */
  #bounded: AttemptState | undefined;
  #hops: Hops | undefined;

  constructor(baseFetch: typeof fetch, input: FetchInput, init: EbbRequestInit | undefined) {
    this.#baseFetch = baseFetch;
    this.#input = input;
    this.#init = withRereadableBody(init);
    if (isRequest(input)) this.#request = input;
    const body = init?.body ?? undefined;
    if (body !== undefined) this.#upload = new Upload(body, undefined);
    else if (this.#request?.body) this.#upload = new Upload(body, this.#request);
    this.followUpload = this.#upload?.follow;
    const signal: unknown = this.#member('signal');
    if (signal === undefined) return;
    // For any other value the base fetch throws.
    if (typeof property(signal, 'addEventListener') !== 'function') return;
    this.signal = nativeSignal(signal as AbortSignal);
    if (this.signal !== signal)
      this.#init = { ...(this.#init && membersOf(this.#init)), signal: this.signal };
  }

  /** Later attempts send what the call was given. */
  keep(): this {
    if (this.#init !== undefined || typeof this.#input !== 'string')
      [this.#input, this.#init] = copyArguments(this.#input, this.#init);
    return this;
  }

  /** A member of the init, or else of the `Request`. */
  #member<K extends keyof EbbRequestInit & keyof Request>(
    name: K,
  ): EbbRequestInit[K] | Request[K] | undefined {
    const own = this.#init?.[name];
    return own === undefined ? this.#request?.[name] : own;
  }

  get method(): string {
    const method = this.#member('method');
    return method === undefined ? 'GET' : String(method).toUpperCase();
  }

  get url(): string {
    return this.#request?.url ?? absoluteUrl(this.#input);
  }

  header(name: string): string | undefined {
    return headerIn(this.#member('headers'), name);
  }

  get replayable(): boolean {
    return this.#upload?.replayable ?? true;
  }

  /** The body of the init only, because the body of a `Request` is a stream. */
  get body(): unknown {
    return readableBody(this.#init?.body);
  }

  /** The fetch and the arguments that make the same request again. */
  get source(): [typeof fetch, FetchInput, EbbRequestInit | undefined] {
    return [this.#baseFetch, this.#input, this.#init];
  }

  get followsRedirects(): boolean {
    const redirect = this.#member('redirect');
    return redirect !== 'error' && redirect !== 'manual';
  }

  /** True if {@link end} has to be called: the source of the body may still be open. */
  get mayLeaveOpen(): boolean {
    return (this.#request ?? this.makeBody) !== undefined;
  }

  get makeBody(): MakeBody | undefined {
    const upload = this.#upload;
    return upload?.isMade ? (state) => upload.make(state) : undefined;
  }

  send(call: Call): Promise<Response> {
    const { signal } = this;
    const { attempt, policy } = call;
    const timeoutMs = timeoutOf(call);
    this.#running = call;
    if (attempt === 1 && this.#upload && maySendAgain(policy) && !signal?.aborted) void this.#upload.keep();
    if (hopsOf) this.#hops = hopsOf(call, this);
    if (timeoutMs === undefined && signal === undefined) return this.#sendNow(call);
    return boundAttempt((state) => this.#sendNow(call, state), signal, call, timeoutMs);
  }

  /** Calls the base fetch, with the caller's own arguments if nothing has to change. */
  #sendNow(call: Call, state?: AttemptState): Promise<Response> {
    this.#bounded = state;
    const layer = layerOf(call);
    const changes = this.#changes(call, layer);
    return layer || this.#hops ? this.#sendObserved(call, changes) : this.#callBase(changes);
  }

  #callBase(changes: InitChanges | undefined): Promise<Response> {
    const baseFetch = this.#baseFetch;
    if (!changes) return baseFetch(this.#input, this.#init as FetchInit);
    return baseFetch(...withChanges(this.#input, this.#init, changes));
  }

  /** Sends for layers below, or counts hops. A method of its own: closures are allocated as soon as it is called. */
  #sendObserved(call: Call, changes: InitChanges | undefined): Promise<Response> {
    const send = (): Promise<Response> => sendWithin(call, () => this.#callBase(changes));
    return this.#hops ? this.#hops.count(send) : send();
  }

  #changes(call: Call, layer: object | undefined): InitChanges | undefined {
    const init = this.#init;
    const signal = this.#bounded?.signal;
    const body = this.#upload?.takeBody();
    const changed = call.headerChanges;
    // With async context, calls below find this one without a mark in the init.
    const mark = hasContext ? undefined : layer;
    if ((body ?? signal ?? changed ?? init?.ebb ?? mark) === undefined) return undefined;
    const changes: InitChanges = { ...body, ...(mark && { [LAYER]: mark }) };
    if (changed) changes.headers = this.sentHeaders();
    // An invalid signal stays in place, so that the base fetch throws.
    if (signal && (init?.signal ?? signal) instanceof AbortSignal) changes.signal = signal;
    return changes;
  }

  outcome(response: Response): Outcome {
    return new ResponseOutcome(response);
  }

  failure(error: unknown): Outcome {
    let kind = this.#bounded?.timedOut ? 'timeout' : failureKind(error);
    // Not by the caller, whose signal is asked first.
    if (error instanceof HookError || kind === 'aborted') kind = 'unknown';
    if (kind === 'unknown' && isLostConnection?.(error, this)) kind = 'network';
    let redirected: boolean | undefined;
    if (kind === 'connect')
      redirected = this.followsRedirects && wasRedirected(error, this, this.#hops, isIdempotent(this.method));
    return { type: 'failure', kind, error, redirected };
  }

  /** @throws TypeError for a header that is wrong */
  sentHeaders(): Headers {
    return changedHeaders(this.#member('headers'), this.#running?.headerChanges);
  }

  peek(response: Response, replace: (settled: unknown) => void): OpenedBody {
    const data = property(response, 'body');
    if (!isWebReadable(data) && !isNodeReadable(data)) return undefined;
    return { data, replace: (body) => replace(withBody(response, body)) };
  }

  setAside(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
    // The retry must not get the response of this attempt.
    if (copyForAttempt) {
      [this.#input, this.#init] = copyForAttempt(this.method, this.#input, this.#init, this.signal);
      this.#request = isRequest(this.#input) ? this.#input : undefined;
    }
    const aside = setAside(settled, call, signal);
    const upload = this.#upload;
    // Not before the response has been read: closing the upload may break the response.
    if (aside && upload?.isOpen) void aside.released.then(() => upload.endAttempt());
    else if (!aside) upload?.endAttempt();
    return aside;
  }

  whenBodyEnds(settled: unknown, ended: () => void, call: Call): unknown {
    const { clock } = call.policy;
    const watch = call.whenBodyEnds ?? whenBodyEnds;
    const status = property(settled, 'status') as number;
    watch?.(settled, { method: this.method, status, signal: this.signal, clock }, ended);
    return settled;
  }

  boundBody(settled: unknown, call: Call, { leftMs, timeoutMs }: Deadline): void {
    const body = property(settled, 'body');
    if (!isWebReadable(body)) return;
    const timeout = this.#bounded?.timeout;
    const end = (): void => timeout?.abort(timeoutError(timeoutMs));
    // After the body this aborts nothing. In the background: its connection keeps the program alive.
    const forget = call.policy.clock.schedule(end, Math.max(0, leftMs), true);
    if (whenRead) whenRead(body, forget);
  }

  /** The call has ended before it was sent. */
  unsent(reason: unknown): void {
    this.#upload?.cancel(reason);
  }

  /** Ends the call. Closes its upload at once, or when the body of the response has ended. */
  end(settled: unknown, failed: boolean): void {
    const upload = this.#upload;
    upload?.stopKeeping();
    const call = this.#running;
    if (failed || !upload?.isOpen || !call) upload?.endAttempt();
    else this.whenBodyEnds(settled, () => upload.endAttempt(), call);
  }
}
