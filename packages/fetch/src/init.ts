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

/** Members that an init of a class, above all a `Request` in the place of one, has as inherited getters. */
const INHERITED = [
  ...['method', 'headers', 'mode', 'credentials', 'cache', 'redirect', 'referrer', 'referrerPolicy'],
  ...['integrity', 'keepalive', 'signal', 'body', 'duplex', 'priority'],
] as const;

/** A copy of the init with some members changed, and without ebb's own. */
export function changeInit(init: EbbRequestInit | undefined, changes: InitChanges): RequestInit {
  const { ebb: _, ...copy }: Record<string, unknown> = { ...init };
  for (const name of INHERITED) {
    const value = init?.[name as keyof EbbRequestInit];
    if (value !== undefined) copy[name] = value;
  }
  return Object.assign(copy, changes);
}
