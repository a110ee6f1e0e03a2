import type { NotSentReason } from '../base/errors.ts';
import type { FailureKind, Outcome, RequestTraits } from '../http/outcome.ts';

/** A request in an event. */
export interface ReportedRequest {
  /** In upper case. */
  readonly method: string;
  /** Without credentials, query and fragment. */
  readonly url: string;
}

/** The outcome of an attempt in an event. */
export type ReportedOutcome =
  | { readonly type: 'response'; readonly status: number }
  | {
      readonly type: 'failure';
      readonly kind: FailureKind;
      /** The code of the error or of one of its causes, else the name of the error. */
      readonly code?: string;
    };

/** An error in an event: without its message, which may quote a URL or a header. */
export interface ReportedError {
  readonly name: string;
  readonly code?: string;
  /** Why a `NotSentError` refused the request. */
  readonly reason?: NotSentReason;
  /** The wait for tokens that a `NotSentError` refused, in milliseconds. */
  readonly waitMs?: number;
  /** The option that a `HookError` names. */
  readonly hook?: string;
}

/**
 * The state of a throttle, in the words of a circuit breaker. `closed`: all requests are sent. `open`: as few as it ever
 * sends, or none while it is isolated. `half-open`: some of them.
 */
export type ThrottleState = 'closed' | 'half-open' | 'open';

/**
 * Something that happened to a request. It has nothing that can be a secret, so it can be logged as it is; the path of the
 * URL is in it. All events of a request have the same `request` object.
 */
export type EbbEvent = {
  readonly request: ReportedRequest;
  /** The attempt, from 1; 0 before the first. */
  readonly attempt: number;
  /** Milliseconds since the epoch, on the policy's clock. */
  readonly atMs: number;
} & (
  | {
      /** The slot and the tokens were granted after a wait. */
      readonly type: 'wait';
      /** In milliseconds. */
      readonly waitedMs: number;
      /** The part of it for the slot; the rest was for the tokens. */
      readonly slotMs: number;
      /** The unit that was lacking, if the bucket has several. */
      readonly unit?: string;
      /** The `fairKey` of the request, if it has one. It is logged: use no secret as a key. */
      readonly fairKey?: string;
    }
  | {
      /** The tokens were not available, and the bucket (`nonConforming: 'mark'`) lets the attempt pass. */
      readonly type: 'mark';
    }
  | {
      /** A limit has skipped a scheduled attempt, because too little succeeds. */
      readonly type: 'attempt-skipped';
      /** The delay before the next scheduled attempt, in milliseconds; `undefined` if there is none. */
      readonly delayMs: number | undefined;
    }
  | {
      /** The throttle has opened or closed for a class of requests. */
      readonly type: 'throttle';
      /** The class, such as `GET https://api.example.com/orders`. */
      readonly class: string;
      readonly state: ThrottleState;
      /** The share of new requests of this class that it sends, from 0 to 1. */
      readonly level: number;
      /** The last failures in a row, at most three, such as `timeout`, `connect` and `503`: they have lowered it. */
      readonly failures: readonly string[];
      /**
       * The account that pays for retries after the last of these failures: `'successes'` for the balance of
       * new requests and answers, `'reserve'` for the reserve that answers fill, or `'budget'` for the budget of the policy.
       */
      readonly retryAllowance: 'successes' | 'reserve' | 'budget';
    }
  | {
      /** The attempt is about to be sent. */
      readonly type: 'attempt';
    }
  | {
      /** There will be another attempt. */
      readonly type: 'retry';
      /** The delay before it, in milliseconds. */
      readonly delayMs: number;
      readonly reason: RetryReason;
      /** The outcome of the attempt. */
      readonly outcome: ReportedOutcome;
    }
  | {
      /** Another library retries the same request, so that the attempts multiply. Reported before the first retry of ebb. */
      readonly type: 'nested-retries';
      /** The request header that shows it. */
      readonly header: string;
      readonly library: string;
    }
  | {
      /**
       * The race of a hedge is over, or a hedge was due and was not sent. `request` is the request of the hedge, and `attempt` counts the
       * tries of the attempt: 2 is its first hedge.
       */
      readonly type: 'hedge';
      /** When it was sent, or was not, in milliseconds after the first try. */
      readonly delayMs: number;
      /** False if it was not sent: hedges are used up, a limit has nothing for it, or there is trouble. */
      readonly sent: boolean;
      /** True if its response is that of the attempt. */
      readonly won: boolean;
      /** `undefined` if it was not sent, or was aborted because another try has won. */
      readonly outcome: ReportedOutcome | undefined;
    }
  | {
      /** The request has ended. */
      readonly type: 'end';
      readonly reason: StopReason;
      /**
       * The outcome of the last attempt; `undefined` if the request ended before its first. If a planned retry was not
       * sent (`'limited'`, `'deadline-exceeded'`), or the total timeout has ended an attempt and there was a response
       * before, it is the outcome that the caller gets.
       */
      readonly outcome: ReportedOutcome | undefined;
      /** The error that kept the request or a retry from being sent, such as a `NotSentError`. */
      readonly error?: ReportedError;
    }
  | {
      /** The body of a response has broken, and its rest will be asked for. The request has had its `end` before. */
      readonly type: 'resume';
      readonly reason: ResumeReason;
      /** How many bytes of the body were passed on so far. */
      readonly passedBytes: number;
      /** The delay before the request for the rest, in milliseconds. */
      readonly delayMs: number;
      /** The error that broke it. */
      readonly outcome: ReportedOutcome;
    }
  | {
      /** The result after the break of a body: the last event about the break, or the only one if the rest could not be requested. */
      readonly type: 'resume-end';
      /**
       * `continued`: the response has the rest. `restarted`: it has all of it, since nothing had been passed on. `refused`: the reader gets
       * the error of the break, whose `cause` says why.
       */
      readonly result: 'continued' | 'restarted' | 'refused';
      readonly passedBytes: number;
    }
);

/** The full details of an event. They may contain secrets. */
export interface EventDetails {
  /** With the whole URL and the headers of the request. */
  readonly request: RequestTraits;
  /** With the headers of the response, or with the error of the client. */
  readonly outcome?: Outcome | undefined;
  /** The error that kept the request or a retry from being sent. */
  readonly error?: unknown;
}

/**
 * Called with every event, synchronously. It only observes: an error that it throws, or rejects with, is reported once
 * (`process.emitWarning`, else `reportError`), and changes nothing.
 */
export type Observer = (event: EbbEvent) => unknown;

/** An event before it is emitted: in full, and without the fields that all events share. */
export type EventFields<E extends EbbEvent = EbbEvent> = E extends EbbEvent
  ? Omit<E, 'request' | 'attempt' | 'atMs' | keyof EventDetails> & Omit<EventDetails, 'request'>
  : never;

/** The fields of an `end` besides its reason. */
export type EndFields = Omit<EventFields<Extract<EbbEvent, { type: 'end' }>>, 'type' | 'reason'>;

/** Where an event carries its details. Known to all copies of this package in a program. */
export const DETAILS: unique symbol = Symbol.for('@ebb/core details');

/**
 * Returns the full details of an event: the URL with its query, the headers of request and response, the client's error. The
 * details may contain secrets, so take only the fields that you need. `undefined` for anything but an event of ebb, also for a
 * copy of one.
 *
 * @example
 * ```ts
 * import { createPolicy, detailsOf } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   onEvent(event) {
 *     const outcome = detailsOf(event)?.outcome;
 *     if (outcome?.type === 'response') console.log(event.type, outcome.header('x-request-id'));
 *   },
 * });
 * ```
 */
export function detailsOf(event: EbbEvent): EventDetails | undefined {
  return (event as { readonly [DETAILS]?: EventDetails })[DETAILS];
}

/**
 * Why there will be another attempt: the last one was refused, or its failure is transient, or it was lost with a connection that the
 * server had closed, and is sent again at once.
 */
export type RetryReason = 'refused' | 'transient' | 'stale-connection';

/**
 * Why a body is resumed: its connection broke; nothing arrived for `idleTimeoutMs`; or it ended without an error, and was not
 * whole.
 */
export type ResumeReason = 'broken' | 'idle' | 'ended';

/** Why there will be no further attempt. */
export type StopReason =
  | 'success'
  | 'final'
  | 'not-idempotent'
  | 'not-replayable'
  | 'retries-exhausted'
  | 'backoff-exhausted'
  | 'retry-after-too-long'
  | 'deadline-exceeded'
  | 'budget-exhausted'
  /** Aborted by the caller. */
  | 'aborted'
  /** A planned attempt could not get its tokens or its slot in time. */
  | 'limited'
  /** The last scheduled attempt was skipped, because too little succeeds. */
  | 'overload'
  /** The policy's `stopSignal` has aborted. */
  | 'stopped'
  /** Middleware has returned a result, or thrown an error, and nothing was sent. */
  | 'short-circuited'
  /** Another call of ebb, around this one, decides. */
  | 'outer-client-retries'
  /** A function of `retry`, or a base client, has failed with a request of ebb of its own that was repeated: it is not called again. */
  | 'inner-client-retried';

/** An attempt of a request, sent or skipped. Contains no URL, header or body. */
export interface Attempt {
  /** From 1. A skipped attempt has the number that it would have had. */
  readonly attempt: number;
  /** The delay before it, for backoff or `Retry-After`, in milliseconds. */
  readonly delayMs: number;
  /** The wait for its slot and its tokens after that, in milliseconds. */
  readonly waitedMs: number;
  /** The status of its response. */
  readonly status?: number;
  /** The kind of the failure, if there was no response. */
  readonly failure?: FailureKind;
  /** The code of the error or of one of its causes, else the name of the error. */
  readonly code?: string;
  /**
   * Why it was followed by another attempt, or by none. `'skipped'`: it was not sent, and another one was scheduled. `'resumed'`:
   * the body of its response broke, and its rest was asked for.
   */
  readonly reason: RetryReason | StopReason | 'skipped' | 'resumed';
  /** Its hedges: other tries of it, under way at the same time. Left out if none was sent. */
  readonly hedges?: readonly HedgeRecord[];
  /** True if the server has answered it with a saved answer, as `idempotencyAnswers` of `@ebb/core/idempotency` finds out. */
  readonly replayed?: true;
}

/** A hedge of an attempt. Contains no URL, header or body. */
export interface HedgeRecord {
  /** When it was sent, in milliseconds after the first try. */
  readonly delayMs: number;
  /** True if its response is that of the attempt. */
  readonly won: boolean;
  /** `undefined` if it was aborted because another try has won. */
  readonly outcome: ReportedOutcome | undefined;
}
