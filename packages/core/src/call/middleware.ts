import { devText } from '#dev-text';
import { onAbort } from '../base/signals.ts';
import type { StopReason } from '../events/events.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { CallPolicy } from '../policy/call-view.ts';
import type { MiddlewareCall } from '../policy/middleware.ts';
import { POLICY } from '../policy/options.ts';
import { type Call, isUploadError } from './call.ts';
import { isReasonOf, lateBy, OutOfTime } from './deadline.ts';
import { hasHistory, setHistory } from './history.ts';
import type { Transport } from './transport.ts';

/** Makes a call go on by itself. */
type Drive = <T>(call: Call, client: Transport<T>, signal: AbortSignal | undefined) => Promise<T>;

/** A call with middleware around it. */
export class MiddlewareRun<T> implements MiddlewareCall {
  readonly call: Call;
  /** Other middleware may replace it before the call goes on. */
  client: Transport<T>;
  /** True once the call goes on by itself: then it keeps its time. */
  isSent = false;
  /** Ends with the caller's signal by itself, as the client does that. */
  ending: Promise<T> | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #left = new AbortController();
  readonly #drive: Drive;
  #forgetUpload: (() => void) | undefined;

  constructor(call: Call, client: Transport<T>, signal: AbortSignal | undefined, drive: Drive) {
    this.call = call;
    this.client = client;
    this.#callerSignal = signal;
    this.#drive = drive;
  }

  get request(): RequestTraits {
    return this.call.request;
  }

  get policy(): CallPolicy {
    return this.call.policy;
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** Makes the call go on, with another client or signal. */
  sendAs(client: Transport<T>, signal: AbortSignal | undefined): Promise<T> {
    const { uploadError } = this.call;
    if (uploadError !== undefined) return Promise.reject(uploadError);
    this.isSent = true;
    this.#forgetUpload?.();
    return this.#drive(this.call, client, signal);
  }

  #send(): Promise<T> {
    const sent = this.sendAs(this.client, this.#callerSignal);
    const end = (): void => {
      this.ending = undefined;
    };
    this.ending = sent;
    sent.then(end, end);
    return sent;
  }

  /** Calls the middleware, the first around the others. */
  #compose(): Promise<T> {
    const first = this.call.policy[POLICY].middleware.reduceRight<() => Promise<T>>(
      (next, one) => this.#once(async () => ((await one(this, next)) as T | undefined) ?? next()),
      this.#once(() => this.#send()),
    );
    return first();
  }

  /** Makes a `next`. Once the call has ended it rejects: the caller has been told that nothing follows. */
  #once(make: () => Promise<T>): () => Promise<T> {
    let made: Promise<T> | undefined;
    return () => {
      if (made === undefined) {
        made = this.#whyOver() ?? make();
        // Middleware that answers by itself need not wait for it. The event `end` tells of its error.
        made.catch(() => undefined);
      }
      return made;
    };
  }

  #whyOver(): Promise<never> | undefined {
    const { aborted, reason } = this.#left.signal;
    if (aborted) return Promise.reject(lateBy(this.client, reason));
    return this.call.hasEnded
      ? Promise.reject(new Error(devText('next: the call has been answered')))
      : undefined;
  }

  async start(): Promise<T> {
    const { call, client } = this;
    try {
      const result = await this.#inTime();
      if (!this.isSent) {
        client.unsent?.(undefined);
        this.#end('short-circuited');
      } else if (!hasHistory(result)) setHistory(result, call.historyRecord);
      return result;
    } catch (thrown) {
      const error = lateBy(client, thrown);
      const isAbort = isReasonOf(this.#callerSignal, error);
      if (!this.isSent) {
        client.unsent?.(error);
        let reason: StopReason = isAbort ? 'aborted' : 'short-circuited';
        if (thrown instanceof OutOfTime) reason = 'deadline-exceeded';
        else if (isUploadError(call, error)) reason = 'final';
        this.#end(reason, { error });
      } else if (!isAbort && !hasHistory(error)) setHistory(error, call.historyRecord);
      throw error;
    }
  }

  #end(reason: StopReason, fields?: { readonly error: unknown }): void {
    if (this.call.close(reason)) this.call.emit({ type: 'end', reason, outcome: undefined, ...fields });
  }

  /**
   * Runs the middleware until an abort, a failed upload or the total timeout, which middleware need not watch. A later result is
   * discarded.
   */
  async #inTime(): Promise<T> {
    const { call, client } = this;
    const { deadline, policy } = call;
    const left = this.#left;
    const signal = this.#callerSignal;
    let forget: (() => void) | undefined;
    let cancel: (() => void) | undefined;
    const gone = new Promise<never>((_, reject) => {
      const leave = (reason: unknown): void => {
        left.abort(reason);
        if (this.ending === undefined) reject(reason);
        else this.ending.then(() => reject(reason), reject);
      };
      forget = signal && onAbort(signal, () => leave(signal.reason));
      const late = (): void => {
        if (!this.isSent) leave(new OutOfTime(policy.totalTimeoutMs as number, true));
      };
      this.#forgetUpload = client.followUpload?.((error) => {
        call.uploadError = error;
        leave(error);
      });
      if (deadline !== undefined) cancel = policy.clock.schedule(late, Math.max(0, deadline.leftMs));
    });
    gone.catch(() => undefined);
    const work = this.#compose().then((result) => {
      if (!left.signal.aborted) return result;
      client.setAside(result, call, AbortSignal.abort());
      return gone;
    });
    try {
      return await Promise.race([work, gone]);
    } finally {
      forget?.();
      cancel?.();
      this.#forgetUpload?.();
    }
  }
}
