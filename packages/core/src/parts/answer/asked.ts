import { devText } from '#dev-text';
import { onAbort } from '../../base/signals.ts';
import { type Call, isUploadError } from '../../call/call.ts';
import { isReasonOf, lateBy, OutOfTime } from '../../call/deadline.ts';
import { hasHistory, setHistory } from '../../call/history.ts';
import type { drive } from '../../call/run.ts';
import type { Transport } from '../../call/transport.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { StopReason } from '../../news/events.ts';
import type { CallPolicy } from '../../policy/call-view.ts';
import { insideOf } from '../../policy/options.ts';
import type { Part } from '../../policy/part.ts';

/** A call that a part may answer. */
export interface AnswerCall {
  readonly request: RequestTraits;
  /** With the clock to use. */
  readonly policy: CallPolicy;
  /** Aborts when the caller no longer waits: with its signal, or with the total timeout if nothing was sent until then. */
  readonly signal: AbortSignal;
}

/** A part that may answer calls. */
export interface AnsweringPart extends Part {
  /** The parts of a lower rank are asked before. */
  readonly rank: number;
  readonly answer: (asked: object, send: () => Promise<unknown>) => unknown;
}

/** One call, while its parts are asked. */
export class Asked<T> implements AnswerCall {
  readonly call: Call;
  readonly client: Transport<T>;
  /** True once the call goes on by itself: then it keeps its time. */
  isSent = false;
  /** What ends with the caller's signal by itself, as the client does that. */
  ending: Promise<T> | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #left = new AbortController();
  readonly #drive: typeof drive;
  #forgetUpload: (() => void) | undefined;

  constructor(call: Call, client: Transport<T>, signal: AbortSignal | undefined, send: typeof drive) {
    this.call = call;
    this.client = client;
    this.#callerSignal = signal;
    this.#drive = send;
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

  #go(): Promise<T> {
    const sent = this.sendAs(this.client, this.#callerSignal);
    const end = (): void => {
      this.ending = undefined;
    };
    this.ending = sent;
    sent.then(end, end);
    return sent;
  }

  /** Asks all parts, the first around the others. */
  #ask(): Promise<T> {
    const parts = [...insideOf(this.call.policy).answering] as AnsweringPart[];
    parts.sort((one, other) => one.rank - other.rank);
    const ask = parts.reduceRight<() => Promise<T>>(
      (send, part) => this.#once(async () => ((await part.answer(this, send)) as T | undefined) ?? send()),
      this.#once(() => this.#go()),
    );
    return ask();
  }

  /** Makes the `send` of a part. Once the call has ended it rejects: the caller has been told that nothing follows. */
  #once(make: () => Promise<T>): () => Promise<T> {
    let made: Promise<T> | undefined;
    return () => {
      made ??= this.#whyOver() ?? make();
      return made;
    };
  }

  #whyOver(): Promise<never> | undefined {
    const { aborted, reason } = this.#left.signal;
    if (aborted) return Promise.reject(lateBy(this.client, reason));
    return this.call.hasEnded
      ? Promise.reject(new Error(devText('send: the call has been answered')))
      : undefined;
  }

  async start(): Promise<T> {
    const { call, client } = this;
    try {
      const result = await this.#inTime();
      if (!this.isSent) {
        client.unsent?.(undefined);
        this.#end('answered');
      } else if (!hasHistory(result)) setHistory(result, call.historyRecord);
      return result;
    } catch (thrown) {
      const error = lateBy(client, thrown);
      const isAbort = isReasonOf(this.#callerSignal, error);
      if (!this.isSent) {
        client.unsent?.(error);
        let reason: StopReason = isAbort ? 'aborted' : 'answered';
        if (thrown instanceof OutOfTime) reason = 'deadline-exceeded';
        else if (isUploadError(call, error)) reason = 'final';
        this.#end(reason, { error });
      } else if (!isAbort && !hasHistory(error)) setHistory(error, call.historyRecord);
      throw error;
    }
  }

  #end(reason: StopReason, news?: { readonly error: unknown }): void {
    if (this.call.close(reason)) this.call.emit({ type: 'end', reason, outcome: undefined, ...news });
  }

  /** Parts need not look at the signal, nor at the time. What they come with later is discarded. */
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
    const work = this.#ask().then((result) => {
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
