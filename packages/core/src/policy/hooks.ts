import type { Outcome, RequestTraits } from '../http/outcome.ts';

/**
 * The value of a header; `undefined` removes it. A function is called at the send, after every wait: for a value that must be
 * fresh, such as a signature, or a deadline. It must return at once.
 */
export type HeaderValue = string | undefined | (() => string | undefined);

/** Headers to set, by name. Other headers stay. */
export type HeaderChanges = Readonly<Record<string, HeaderValue>>;

/** The headers that an attempt changes; `undefined` removes one. */
export type SentHeaders = Readonly<Record<string, string | undefined>>;

/**
 * The result of {@link BeforeAttempt}: an object, `Headers`, or a list of pairs, and no other iterable. A name that is repeated
 * in pairs has both values, joined by a comma.
 */
export type HeaderChangesInit =
  | HeaderChanges
  | readonly (readonly [name: string, value: HeaderValue])[]
  | HeaderList;

/** The part of `Headers` that is used: a program may lack the type. */
export interface HeaderList extends Iterable<[name: string, value: string]> {
  append(name: string, value: string): void;
}

/** The idempotency key of a request. */
export interface KeptKey {
  readonly value: string;
  /** True if ebb has made it, false if the caller has set it. */
  readonly isOurs: boolean;
  /** False once an attempt did not carry it, or carried another one. */
  isKept: boolean;
}

/** An attempt that is about to be sent. */
export interface NextAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
  /** The outcome that the attempt follows; `undefined` for the first. */
  readonly previous: Outcome | undefined;
  /**
   * The time until the total timeout, in milliseconds, for a server that takes a deadline; `undefined` if the policy has no
   * total timeout.
   */
  readonly leftMs: number | undefined;
}

/**
 * Called before each attempt, after its delay, while it holds no slot and no tokens. It returns headers to change in this
 * attempt: each attempt starts with the caller's headers again.
 *
 * If it removes or changes the idempotency key of a request, the request no longer counts as one that may be repeated.
 */
export type BeforeAttempt = (
  next: NextAttempt,
) => HeaderChangesInit | undefined | Promise<HeaderChangesInit | undefined>;

/** An attempt that is being sent. */
export interface CurrentAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
}

/**
 * Called with each attempt as it is sent, to send it in an async context. It must call `send` once, before it returns, and return
 * the result of `send`.
 */
export type WrapAttempt = <T>(send: () => T, current: CurrentAttempt) => T;
