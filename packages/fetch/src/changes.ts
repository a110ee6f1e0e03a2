import { LAYER } from '@ebb/core/adapter';
import type { EbbRequestInit, FetchInput } from './init.ts';

/** Members that replace those of the caller's init. */
export interface InitChanges {
  body?: BodyInit;
  duplex?: 'half';
  headers?: HeadersInit;
  signal?: AbortSignal;
  /** Identifies this call to layers of ebb below. */
  [LAYER]?: object;
}

/** Tests by shape, because the `Request` may come from another realm. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value;
}

/** The members of an init that fetch, or that of Next.js, reads. They may be inherited from a class. */
const MEMBERS = [
  'method',
  'headers',
  'body',
  'duplex',
  'signal',
  'redirect',
  'mode',
  'credentials',
  'cache',
  'referrer',
  'referrerPolicy',
  'integrity',
  'keepalive',
  'priority',
  'window',
  'dispatcher',
  'next',
] as const;

/** The members of an init, or of a `Request`, that fetch reads. */
export function membersOf(source: object): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of MEMBERS) {
    if (name in source) members[name] = (source as Record<string, unknown>)[name];
  }
  return members;
}

function isPlain(init: object): boolean {
  const prototype = Object.getPrototypeOf(init);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** True if a copy of the init has all of its members. */
export function isPlainInit(init: EbbRequestInit | undefined): boolean {
  return init === undefined || (typeof init === 'object' && init !== null && isPlain(init));
}

/** The arguments of the base fetch, with changes to the init, and without `ebb`. */
export function withChanges(
  input: FetchInput,
  init: EbbRequestInit | undefined,
  changes: InitChanges,
): [FetchInput, RequestInit] {
  // The members of a `Request` in place of an init are getters of its class, which a copy would lose.
  if (isRequest(init)) return [new Request(input, init), changes as RequestInit];
  // The base fetch throws for it.
  if (init !== undefined && init !== null && typeof init !== 'object') return [input, init];
  const { ebb: _, ...own } = init ?? {};
  const copy = init && !isPlain(init) ? { ...membersOf(init), ...own } : own;
  return [input, { ...(copy as RequestInit), ...(changes as RequestInit) }];
}
