import {
  type Attempt,
  type Clock,
  type FailureKind,
  grantOf,
  type Policy,
  type PolicyOptions,
  type RequestTraits,
} from '@ebb/core';
import {
  attemptsOf,
  callHook,
  failureKind,
  isTypeError,
  nextTurn,
  overridePolicy,
  type ReadHeader,
  setHistory,
  sleep,
} from '@ebb/core/adapter';
import {
  backoffOf,
  capRetryAfter,
  codeIn,
  devText,
  type EventFields,
  emit,
  observerOf,
  property,
  type ReportedCall,
  type ResumeReason,
  record,
} from '@ebb/core/internal';

import type { ResumeFormat } from './download.ts';
import type { ReadResumeOptions } from './options.ts';

/** A resumption that was decided upon, before its request. */
export interface Resumption {
  readonly reason: ResumeReason;
  readonly error: unknown;
  readonly passedBytes: number;
  readonly delayMs: number;
}

/** How a body broke. Not by an abort of the caller, after which there is no resumption. */
function kindOf(error: unknown): FailureKind {
  const kind = failureKind(error);
  // Browsers have a text each for a connection that was lost.
  if (kind === 'unknown' && isTypeError(error) && property(error, 'cause') === undefined) return 'network';
  return kind === 'aborted' ? 'unknown' : kind;
}

/**
 * Adds a resumption to the history of a response: its last attempt was followed by those that the request for the rest took.
 *
 * @param result what that request ended with: a response, or an error
 */
export function setHistoryOfResumption(
  response: unknown,
  result: unknown,
  { error, delayMs }: Resumption,
): void {
  const before = attemptsOf(response);
  const last = before.at(-1);
  if (last === undefined) return;
  const broken: Attempt = { ...last, failure: kindOf(error), ...codeIn(error), reason: 'resumed' };
  const after = attemptsOf(result).map((one, index) => ({
    ...one,
    attempt: last.attempt + one.attempt,
    delayMs: index === 0 ? one.delayMs + delayMs : one.delayMs,
  }));
  const attempts = before.slice(0, -1);
  for (const one of [broken, ...after]) record(attempts, one);
  setHistoryAs(response, attempts, result);
}

/** Gives a response, or an error, the history of a response. */
export function copyHistory(result: unknown, response: unknown): void {
  setHistoryAs(result, attemptsOf(response), response);
}

function setHistoryAs(result: unknown, attempts: readonly Attempt[], granted: unknown): void {
  const grant = grantOf(granted) ?? grantOf(result);
  setHistory(result, grant === undefined ? attempts : { attempts, grant });
}

/**
 * Sets `cause` to an error that says why the body was not resumed; the old cause moves under it. The error stays the same object.
 */
function explain(
  error: unknown,
  why: string | undefined,
  cause: unknown = property(error, 'cause'),
): unknown {
  try {
    const value = new Error(`not resumed: ${why ?? ''}`, { cause });
    return Object.defineProperty(error, 'cause', { value, configurable: true, writable: true });
  } catch {
    // Some runtimes break with something that is no object, or frozen.
    return error;
  }
}

/**
 * A request whose body may break, as its client knows it. `Rest` is the type of a request of the client, `Given` that of a return
 * value of `resumeWith`.
 */
export interface ResumeSource<Rest, Given> {
  readonly request: RequestTraits;
  /** The options of the request itself. */
  readonly ebb: PolicyOptions | undefined;
  /** Why nothing more may be sent to where the last request has ended; `undefined` if it may. */
  whyUnsafe(): string | undefined;
  /** The request that `resumeWith` has made. */
  with(given: Given): Rest;
  /** The same request, with other headers. */
  again(): Rest;
}

/** A request for the rest of a body. */
export interface RestRequest<Rest> {
  readonly rest: Rest;
  /** The policy options that it has in place of those of the first. */
  readonly ebb: PolicyOptions | undefined;
  readonly resumption: Resumption;
}

/** Resumes a body that may break: decides which bytes are passed on, when it has ended, and how the rest is requested. */
export class Resumer<Rest, Given> {
  readonly format: ResumeFormat;
  readonly #options: ReadResumeOptions<Given>;
  readonly #resumed: ResumeSource<Rest, Given>;
  #passedBytes: number;
  /** Resumptions in a row that brought nothing. */
  #vain = 0;
  #previousDelayMs: number | undefined;
  /** The context of the events of a resumption; made with the first break. */
  #told: { -readonly [K in keyof ReportedCall]: ReportedCall[K] } | undefined;
  /** The result that the caller has, with the history of the attempts. */
  #made: object = {};
  /** True once the server has said that there is no more. */
  isOver = false;

  /** @param passedBytes what has been passed on before */
  constructor(
    format: ResumeFormat,
    options: ReadResumeOptions<Given>,
    resumed: ResumeSource<Rest, Given>,
    passedBytes = 0,
  ) {
    this.format = format;
    this.#options = options;
    this.#resumed = resumed;
    this.#passedBytes = passedBytes;
  }

  get clock(): Clock {
    return this.#options.policy.clock;
  }

  /**
   * Returns the bytes of a part to pass on.
   *
   * @throws the error that `terminated` makes, if the part cannot belong to the requested rest; HookError if a hook throws
   */
  take(part: Uint8Array, terminated: () => unknown): readonly Uint8Array[] {
    // A stream of bytes takes no empty parts.
    const parts = part.byteLength > 0 ? this.format.take(part) : [];
    if (parts === undefined) throw explain(terminated(), devText('more than its range'));
    for (const { byteLength } of parts) {
      this.#passedBytes += byteLength;
      this.#vain = 0;
    }
    return parts;
  }

  /**
   * After a response that ended without an error: true if the body has ended as well. If not, it is to be resumed.
   *
   * @throws the error that it is given, if it is not whole and there is no more
   */
  ended(error: unknown): boolean {
    const { isDone, mayEnd } = this.format;
    const isFinal = this.isOver || !this.#options.resumeAtEnd;
    if (isDone || (mayEnd && (isFinal || typeof this.#rest() === 'string'))) return true;
    // Told with its response.
    if (this.isOver) throw explain(error, devText('a 204'));
    return false;
  }

  /** The request for the rest, or why there is none. @throws HookError if `resumeWith` throws */
  #rest(): Rest | string {
    const resumed = this.#resumed;
    const { lost, lastId } = this.format;
    const why = lost ?? resumed.whyUnsafe();
    if (why !== undefined) return why;
    const { request } = resumed;
    const { method, replayable } = request;
    const { resumeWith } = this.#options;
    if (lastId !== undefined && resumeWith !== undefined) {
      const given = callHook('resumeWith', () => resumeWith(lastId, request));
      if (given !== undefined) return resumed.with(given);
    }
    return method === 'GET' && replayable
      ? resumed.again()
      : (devText(`a ${method} is not sent again`) ?? '');
  }

  /**
   * Waits until the rest of what has broken can be asked for.
   *
   * @param made what the caller has, for its history
   * @throws the error that broke it, whose `cause` says why there is no request; the reason of the signal; HookError if a hook throws
   */
  async next(
    error: unknown,
    reason: ResumeReason,
    made: object,
    signal: AbortSignal,
  ): Promise<RestRequest<Rest>> {
    const { policy: ofAll, maxResumes } = this.#options;
    const { ebb, request } = this.#resumed;
    const policy = ebb ? overridePolicy(ofAll, ebb) : ofAll;
    const reporting = { clock: policy.clock, onEvent: observerOf(policy) };
    this.#told ??= { policy: reporting, request, attempt: 0 };
    this.#made = made;
    const { totalTimeoutMs, totalTimeoutCovers } = policy;
    if (totalTimeoutMs !== undefined && totalTimeoutCovers === 'body')
      throw this.refuse(error, devText('a body within a total timeout'));
    const vain = this.#vain;
    const rest = vain < maxResumes ? this.#rest() : (devText(`${vain} resumptions in a row`) ?? '');
    if (typeof rest === 'string') throw this.refuse(error, rest);
    this.#vain += 1;
    const delayMs = this.#delayMs(policy, request);
    // It holds for each resumption from its break.
    if (delayMs === undefined || (totalTimeoutMs !== undefined && delayMs >= totalTimeoutMs))
      throw this.refuse(error, devText('too long a wait'));
    const passedBytes = this.#passedBytes;
    const resumption = { reason, error, passedBytes, delayMs };
    const outcome = { type: 'failure', kind: kindOf(error), error } as const;
    this.#tell({ type: 'resume', reason, passedBytes, delayMs, outcome });
    if (delayMs > 0) await sleep(policy.clock, delayMs, signal);
    else await nextTurn();
    // An observer may abort.
    if (signal.aborted) throw signal.reason;
    return {
      rest,
      resumption,
      ebb: totalTimeoutMs ? { ...ebb, totalTimeoutMs: totalTimeoutMs - delayMs } : ebb,
    };
  }

  /** In milliseconds; `undefined` gives up. @throws HookError if the backoff throws */
  #delayMs(policy: Policy, request: RequestTraits): number | undefined {
    const { retryMs } = this.format;
    if (retryMs !== undefined) return capRetryAfter(retryMs, policy);
    const { random } = policy;
    const step = { retry: this.#vain, previousDelayMs: this.#previousDelayMs, random, request };
    this.#previousDelayMs = backoffOf(policy, step);
    return this.#previousDelayMs;
  }

  /** The response to that request has come. @throws the error that broke the body, if it is not the rest */
  began(status: number, header: ReadHeader, error: unknown): void {
    const why = this.format.mismatch(status, header) ?? this.#resumed.whyUnsafe();
    if (why !== undefined) throw this.refuse(error, why);
    // Only a stream ends so.
    this.isOver = status === 204;
    const passedBytes = this.#passedBytes;
    const result = passedBytes > 0 ? 'continued' : 'restarted';
    const isHalf = this.isOver && !this.format.mayEnd;
    this.#tell({ type: 'resume-end', result: isHalf ? 'refused' : result, passedBytes });
    this.format.begin();
  }

  /** The error of the break, for a reader who does not get the rest. @param cause of it, in place of its own */
  refuse(error: unknown, why: string | undefined, cause?: unknown): unknown {
    this.#tell({ type: 'resume-end', result: 'refused', passedBytes: this.#passedBytes });
    return explain(error, why, cause);
  }

  #tell(fields: EventFields): void {
    const told = this.#told;
    if (told === undefined) return;
    told.attempt = attemptsOf(this.#made).length;
    emit(told, fields);
  }
}

/** The names of headers that a server tells callers apart by. */
const CREDENTIALS = /auth|cookie|token|api-?key/i;

/** True if a request with headers of these names may have credentials. */
export function haveCredentials(names: readonly string[]): boolean {
  return names.some((name) => CREDENTIALS.test(name));
}
