import type { RequestOptions } from '@ebb/core';

// All types derive from the runtime's own fetch, so that they hold in browsers, Node, Bun and workers. Names of the DOM
// library, `BodyInit` for one, do not exist in all of them.
type NativeFetch = typeof globalThis.fetch;

/** Bun's `fetch.preconnect`, which opens a connection in advance; an empty type elsewhere. */
export type Preconnecting = Pick<NativeFetch, Extract<keyof NativeFetch, 'preconnect'>>;

/** The first parameter of `fetch`. */
export type FetchInput = Parameters<NativeFetch>[0];

/** The init of a fetch; with Bun's types, where `fetch` has two overloads, the members of both. */
type InitOf<F> = F extends {
  (input: never, init?: infer One): unknown;
  (input: never, init?: infer Other): unknown;
}
  ? NonNullable<One> & NonNullable<Other>
  : F extends (input: never, init?: infer One) => unknown
    ? NonNullable<One>
    : never;

/** The second parameter of the runtime's own `fetch`. */
export type FetchInit = InitOf<NativeFetch>;

/** The bodies that `fetch` takes. */
type Body = NonNullable<FetchInit['body']>;

/** Makes a new body for each attempt, so that even a stream can be sent again. */
export type BodyFactory = () => Body | Promise<Body>;

/** The second parameter of an `EbbFetch`: that of `fetch`, a body factory, and `ebb`. */
export interface EbbRequestInit extends Omit<FetchInit, 'body'> {
  /** A body, or a function that makes one for each attempt. */
  body?: Body | BodyFactory | null | undefined;
  /** Policy options for this request only; `false` bypasses ebb. */
  ebb?: RequestOptions | undefined;
}
