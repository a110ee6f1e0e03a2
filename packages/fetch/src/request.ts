import type { HeaderChanges } from '@ebb/core';
import { isIdempotent, LAYER } from '@ebb/core/adapter';
import { hasAsyncContext } from '#platform';
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

/**
 * True if the arguments of a call can be passed on as they are, and again for a retry: no body that can be used up, nothing that may
 * end the call early, nothing for ebb, and a method for which the first hop does not matter.
 */
export function isSimple(input: FetchInput, init: EbbRequestInit | undefined): boolean {
  if (typeof input !== 'string' && !(input instanceof URL)) return false;
  if (init === undefined) return true;
  if (typeof init !== 'object' || init === null) return false;
  const { method, body, headers } = init;
  if (init.signal || init.ebb !== undefined || (init as InitChanges)[LAYER] !== undefined) return false;
  if (body !== undefined && typeof body !== 'string') return false;
  if (method !== undefined && !isIdempotent(method)) return false;
  return headers === undefined || !isReadOnce(headers);
}

/** Tests by shape, because the `Request` may come from another realm. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value;
}

/** The members of an init that fetch, or that of Next.js, reads. They may be inherited from a class. */
const MEMBERS =
  'method headers body duplex signal redirect mode credentials cache referrer referrerPolicy integrity keepalive priority window dispatcher next';

/** The members of an init, or of a `Request`, that fetch reads. */
export function membersOf(source: object): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of MEMBERS.split(' ')) {
    if (name in source) members[name] = (source as Record<string, unknown>)[name];
  }
  return members;
}

/** True if a copy of the init has all of its members. */
export function isPlainInit(init: EbbRequestInit | undefined): boolean {
  if (init === undefined) return true;
  if (typeof init !== 'object' || init === null) return false;
  const prototype = Object.getPrototypeOf(init);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** True if layers of ebb below find this call by a mark in the init: with async context they find it without. */
export function needsMark(init: EbbRequestInit | undefined): boolean {
  return !hasAsyncContext && isPlainInit(init);
}

/** The init with what the layers of ebb below have to know, if there are any. */
export function marked(
  init: EbbRequestInit | undefined,
  passage: object | undefined,
): RequestInit | undefined {
  const own = init as RequestInit | undefined;
  return passage !== undefined && needsMark(init) ? ({ ...own, [LAYER]: passage } as RequestInit) : own;
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
  const inherited = init && !isPlainInit(init) ? membersOf(init) : undefined;
  return [input, { ...inherited, ...(own as RequestInit), ...(changes as RequestInit) }];
}

/** True for headers that came as an iterator, which can be read only once. */
function isReadOnce(headers: unknown): headers is Iterable<Iterable<string>> {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return false;
  const { get, [Symbol.iterator]: iterate } = headers as Partial<Map<string, string>>;
  return typeof get !== 'function' && typeof iterate === 'function';
}

/**
 * A copy of headers that came as an iterator; `undefined` for other headers.
 *
 * @throws what the iterator throws, as fetch would
 */
export function rereadableHeaders(headers: unknown): [string, string][] | undefined {
  if (!isReadOnce(headers)) return undefined;
  // A pair may be an iterator as well. For anything else the base fetch throws.
  return Array.from(headers, (pair) => (typeof pair === 'object' ? [...pair] : pair) as [string, string]);
}

/** A request header by its lower-case name; `undefined` also if the base fetch will reject the headers. */
export function headerIn(headers: unknown, name: string): string | undefined {
  try {
    return new Headers(headers as HeadersInit).get(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The headers of one attempt. */
export function changedHeaders(own: unknown, changes: HeaderChanges): Headers {
  const headers = new Headers(own as HeadersInit | undefined);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

/** The base of relative URLs: `document` in browsers, `location` also in their workers, neither elsewhere. */
interface PageGlobals {
  readonly document?: { readonly baseURI?: string };
  readonly location?: { readonly href?: string };
}

/** Enough to know that a base does not matter. Parsing takes three times as long, and a bucket asks for each request. */
const WHOLE = /^https?:\/\//i;

/** The URL that fetch will request; the input as a string if fetch will reject it. */
export function absoluteUrl(input: unknown): string {
  const url = String(input);
  if (WHOLE.test(url)) return url;
  let base: string | undefined;
  try {
    const { document, location } = globalThis as PageGlobals;
    base = document?.baseURI ?? location?.href;
  } catch {
    // Deno has a location that throws.
  }
  return URL.canParse(url) ? url : (URL.parse(url, base)?.href ?? url);
}
