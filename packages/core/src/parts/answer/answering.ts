import { callable } from '../../base/check.ts';
import { onAbort } from '../../base/signals.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { Call } from '../../loop/call.ts';
import { type ClientAdapter, lateBy, type Sends } from '../../loop/client.ts';
import { isReasonOf, OutOfTime } from '../../loop/deadline.ts';
import { hasHistory, setHistory } from '../../loop/history.ts';
import { close } from '../../loop/judge.ts';
import { insideOf } from '../../loop/options.ts';
import type { CallPolicy, Part, PartCall } from '../../loop/part.ts';
import type { PartsOfCall } from '../../loop/parts-of-call.ts';
import type { StopReason } from '../../news/events.ts';

/** A call that a part may answer. */
export interface AnswerCall {
  readonly request: RequestTraits;
  /** With the clock to use. */
  readonly policy: CallPolicy;
  /** Aborts when the caller no longer waits: with its signal, or with the total timeout if nothing was sent until then. */
  readonly signal: AbortSignal;
}

/**
 * Stands around a whole call. It returns a result of the client for the caller, such as a `Response`. Nothing stands for the result of
 * `send`.
 *
 * @param send makes the call go on as it would without this part. A second call of it returns the same promise
 */
export type Answer<T> = (
  call: AnswerCall,
  send: () => Promise<T>,
) => T | undefined | PromiseLike<T | undefined>;

/** A part that may answer calls. */
interface AnsweringPart extends Part {
  /** The parts of a lower rank are asked before. */
  readonly rank: number;
  readonly answer: (asked: object, send: () => Promise<unknown>) => unknown;
}

/** One call, while its parts are asked. */
export class Asked<T> implements AnswerCall {
  readonly call: Call;
  readonly client: ClientAdapter<T>;
  /** True once the call goes on by itself: then it keeps its time. */
  isSent = false;
  /** What ends with the caller's signal by itself, as the client does that. */
  ending: Promise<T> | undefined;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #left = new AbortController();
  readonly #Run: Sends<T>;

  constructor(call: Call, client: ClientAdapter<T>, signal: AbortSignal | undefined, Run: Sends<T>) {
    this.call = call;
    this.client = client;
    this.#callerSignal = signal;
    this.#Run = Run;
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
  sendAs(client: ClientAdapter<T>, signal: AbortSignal | undefined): Promise<T> {
    this.isSent = true;
    return new this.#Run(this.call, client, signal).start();
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
    const parts = insideOf(this.call.policy).parts.filter(({ answering }) => answering) as AnsweringPart[];
    parts.sort((one, other) => one.rank - other.rank);
    const ask = parts.reduceRight<() => Promise<T>>(
      (send, part) => once(async () => ((await part.answer(this, send)) as T | undefined) ?? send()),
      once(() => this.#go()),
    );
    return ask();
  }

  async start(): Promise<T> {
    const { call, client } = this;
    try {
      const result = await this.#inTime();
      if (!this.isSent) {
        client.unsent?.(undefined);
        this.#end('answered');
      } else if (!hasHistory(result)) setHistory(result, call.trace);
      return result;
    } catch (thrown) {
      const error = lateBy(client, thrown);
      const isAbort = isReasonOf(this.#callerSignal, error);
      if (!this.isSent) {
        client.unsent?.(error);
        const isLate = thrown instanceof OutOfTime;
        this.#end(isAbort ? 'aborted' : isLate ? 'deadline-exceeded' : 'answered', { error });
      } else if (!isAbort && !hasHistory(error)) setHistory(error, call.trace);
      throw error;
    }
  }

  #end(reason: StopReason, news?: { readonly error: unknown }): void {
    if (close(this.call, reason)) this.call.emit({ type: 'end', reason, outcome: undefined, ...news });
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
    }
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** An inner layer would answer each attempt of the outer one; functions have no URL; and an abort beforehand goes to the client. */
function ask<T>(
  call: Call,
  client: ClientAdapter<T>,
  signal: AbortSignal | undefined,
  Run: Sends<T>,
): Promise<T> {
  return call.isInner || call.way === 'function' || signal?.aborted
    ? new Run(call, client, signal).start()
    : new Asked(call, client, signal, Run).start();
}

/** A part that may answer calls. @param rank 1 for one that sends the call itself, which no other may stand within */
export function answeringPart(
  name: string,
  rank: number,
  answer: (asked: Asked<never>, send: () => Promise<never>) => unknown,
): Part {
  const begin = (call: PartCall): undefined => {
    // It tells a handler of events, and has no result that a part could return.
    if (((call as PartsOfCall).owner as Call).way !== 'dispatcher') return;
    throw new TypeError(
      `use: '${name}' cannot answer calls of a dispatcher; undici has interceptors.cache() and deduplicate()`,
    );
  };
  const part: AnsweringPart = { name, place: 'answer', begin, answering: ask, rank, answer: answer as never };
  return part;
}

/**
 * A part that may answer calls itself, before anything is taken or sent: a cache, a fallback, a stale value after an error. Several are
 * asked in their order in `use`, the first around the others. Of layers of ebb, the outermost alone asks.
 *
 * A call that is answered without a send has no attempts, and its `end` has the reason `answered`. For fetch and axios, whose results
 * are values: each request of @ebb/undici fails with a `TypeError`.
 *
 * @param answer returns a result of the client, or what `send()` returns
 * @throws TypeError unless it is a function
 * @example
 * ```ts
 * import { answering } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fallback = answering<Response>('fallback', async (call, send) => {
 *   const response = await send();
 *   if (response.status !== 503) return response;
 *   await response.body?.cancel();
 *   return Response.json([]);
 * });
 * const fetch = createFetch({ use: [fallback] });
 * ```
 */
export function answering<T>(name: string, answer: Answer<T>): Part {
  callable('answering: answer', answer);
  return answeringPart(name, 0, answer as never);
}
