import type { RequestOptions } from '@ebb/core';

// All is told by the runtime's own fetch, so that it holds with the types of browsers, of Node, Bun and workers: of
// the names that the DOM library has for it, `BodyInit` above all, some of these lack this one and some that.
type NativeFetch = typeof globalThis.fetch;

/** What fetch takes first. */
export type FetchInput = Parameters<NativeFetch>[0];

/** With Bun's types there are two fetches, Node's and Bun's own, and what either takes is taken. */
type InitOf<F> = F extends {
  (input: never, init?: infer One): unknown;
  (input: never, init?: infer Other): unknown;
}
  ? NonNullable<One> & NonNullable<Other>
  : F extends (input: never, init?: infer One) => unknown
    ? NonNullable<One>
    : never;

/** What the runtime's own fetch takes second. */
export type FetchInit = InitOf<NativeFetch>;

/** What fetch takes for a body. */
export type Body = NonNullable<FetchInit['body']>;

/** Makes the body anew for each attempt, so that even a stream can be sent again. */
export type BodyFactory = () => Body | Promise<Body>;

/** What fetch takes second, and what ebb takes beside it. */
export interface EbbRequestInit extends Omit<FetchInit, 'body'> {
  body?: Body | BodyFactory | null | undefined;
  /** Changes of the policy for this request; `false` sends it as if ebb were not there. */
  ebb?: RequestOptions | undefined;
}
