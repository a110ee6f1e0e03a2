import type { RequestOptions } from '@ebb/core';

/** What fetch takes first. */
export type FetchInput = string | URL | Request;

/** Makes the body anew for each attempt, so that even a stream can be sent again. */
export type BodyFactory = () => BodyInit | Promise<BodyInit>;

/** What fetch takes second, and what ebb takes beside it. */
export interface EbbRequestInit extends Omit<RequestInit, 'body'> {
  body?: BodyInit | BodyFactory | null;
  /** Changes of the policy for this request; `false` sends it as if ebb were not there. */
  ebb?: RequestOptions | undefined;
}

/** What is changed in an init before it reaches the client's own fetch. */
export interface InitChanges {
  body?: BodyInit;
  duplex?: 'half';
  signal?: AbortSignal;
}

/** A `Request` by its shape, since it may come from another realm. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value;
}

/** What the client's own fetch is called with, where that is not just what came. */
export function changed(
  input: FetchInput,
  init: EbbRequestInit | undefined,
  changes: InitChanges,
): [FetchInput, RequestInit] {
  // A `Request` in the place of an init cannot be copied member by member: its members are getters of its class.
  if (isRequest(init)) return [new Request(input, init), changes];
  const { ebb: _, ...own } = init ?? {};
  return [input, { ...(own as RequestInit), ...changes }];
}
