import type { ConcurrencyLimit, FailureKind, MemoryBucket, PolicyOptions, RequestOptions } from '@ebb/core';
import type { VirtualClock } from '@ebb/core/testing';
import type { Script } from './step.ts';

/** A request, independent of the client that sends it. At most one of `body`, `once` and `factory` is there. */
export interface RowRequest {
  /** @default 'GET' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that can be sent again. */
  readonly body?: string;
  /** The text of a body to send as a stream, which can be read once. Needs `streams`. */
  readonly once?: string;
  /** The stream of `once` has no text yet, and fails with what this rejects with. */
  readonly failing?: Promise<never>;
  /** The text of a body to send by a function that returns a new stream. Needs `bodyFactories`. */
  readonly factory?: string;
  /** Policy options for this request alone, or `false` to send it without ebb. Needs `requestOptions`. */
  readonly ebb?: RequestOptions;
}

/**
 * An ability that some rows need, and an adapter may lack.
 *
 * - `bodyFactories`: a function as a body, which is called for each attempt
 * - `history`: `attemptsOf` for its results
 * - `inspection`: the policy's `inspect`
 * - `pool`: a limit of its connections
 * - `redirects`: the client follows redirects
 * - `requestOptions`: policy options for one request
 * - `sockets`: a server over sockets; a mock cannot misbehave as one does
 * - `streams`: a stream as a body, which is sent once
 */
export type Ability =
  | 'bodyFactories'
  | 'history'
  | 'inspection'
  | 'pool'
  | 'redirects'
  | 'requestOptions'
  | 'sockets'
  | 'streams';

/**
 * The special behaviour of an adapter, which rows expect.
 *
 * - `hidesRefusals`: a refused connection looks like a lost one, which may have carried out the request
 * - `resumes`: it asks for the rest of a download that broke
 * - `resumesStreams`: it asks for the rest of an event stream that broke
 * - `wholeBodies`: it settles once it has the whole body
 */
export type Trait = 'hidesRefusals' | 'resumes' | 'resumesStreams' | 'wholeBodies';

/** The expected result of a row. */
export interface ExpectedResult {
  /** The delays before the retries and the resumptions, in milliseconds. Random numbers are 0 unless the policy sets `random`. */
  readonly delays: readonly number[];
  /** How many requests the upstream received. */
  readonly hits: number;
  /** The status that the caller gets; `undefined` if the call, or reading its body, rejects. */
  readonly status?: number | undefined;
  /** The body that the caller gets; not compared if absent. */
  readonly body?: string | undefined;
  /** The request bodies that the upstream received; not compared if absent. */
  readonly bodies?: readonly string[];
  /** The reason in the `end` event; `undefined` if there are no events. */
  readonly reason: string | undefined;
  /** The failure of the last attempt, if the caller gets the response of one before it. */
  readonly failure?: FailureKind;
  /**
   * The error that the call rejects with: `'the reason'` of the abort, `'a timeout'` for the adapter's own timeout error, or the name of
   * the error. Not compared if absent.
   */
  readonly thrown?: string | undefined;
  /** The waits for tokens, in milliseconds. Time is advanced by each. */
  readonly waits?: readonly number[];
  /** A header of the requests, and its value in each that the upstream received. */
  readonly carried?: { readonly header: string; readonly values: readonly (string | undefined)[] };
  /** How many timers are left after the call; none if absent. */
  readonly timers?: number;
}

/**
 * When the caller aborts: beforehand, while waiting for tokens or a slot, for a response, for a part that looks into it, for a retry,
 * or in the body.
 */
type AbortPhase = 'before' | 'limits' | 'attempt' | 'look' | 'retry' | 'body';

/** When the stream of the request fails: while waiting for tokens or a slot, or for a hook. */
type FailPhase = 'limits' | 'hook';

/** Limits, and other parts with a state, that are made anew for each run. */
export interface Limits
  extends Pick<PolicyOptions, 'beforeAttempt' | 'idempotencyKey' | 'stopSignal' | 'limits' | 'plugins'> {
  readonly bucket?: MemoryBucket;
  readonly concurrency?: ConcurrencyLimit;
  /** True once one of the parts looks into a response, or a hook is asked. Needed by an abort or a failure in that phase, and by `lookMs`. */
  readonly isLooking?: () => boolean;
}

/** A row of the table: a script and a request, and the expected delays, hits, status and reason. */
export interface Row extends ExpectedResult {
  readonly name: string;
  readonly script: Script;
  readonly request?: RowRequest;
  readonly policy?: PolicyOptions;
  readonly limits?: (clock: VirtualClock) => Limits;
  readonly abort?: AbortPhase;
  /** The stream of the request fails, with the reason that an abort has in other rows. Needs `once`. */
  readonly fails?: FailPhase;
  /** By how much time is advanced once a part looks into the response, in milliseconds. */
  readonly lookMs?: number;
  /** The owner of the request's headers changes them as soon as the call has begun. */
  readonly isReused?: true;
  /** The signal of the caller is of another library. */
  readonly isForeign?: true;
  /** The abort is that of the policy's `stopSignal`. */
  readonly stops?: true;
  /** Beside what {@link request} needs. */
  readonly needs?: readonly Ability[];
  /** The expectations that differ for an adapter with a trait. */
  readonly by?: Readonly<Partial<Record<Trait, Partial<ExpectedResult> & Pick<Row, 'policy' | 'abort'>>>>;
}

/** Every ability that a row needs. */
export function needsOf({ needs = [], request = {} }: Row): readonly Ability[] {
  return [
    ...needs,
    ...(request.once === undefined ? [] : (['streams'] as const)),
    ...(request.factory === undefined ? [] : (['bodyFactories'] as const)),
    ...(request.ebb === undefined ? [] : (['requestOptions'] as const)),
  ];
}
