import type { RequestOptions } from '@ebb/core';
import { isIdempotent, LAYER, property, type SentHeaders } from '@ebb/core/adapter';

// All types derive from the runtime's own fetch, so that they hold in browsers, Node, Bun and workers. Names of the DOM
// library, `BodyInit` for one, do not exist in all of them.
type NativeFetch = typeof globalThis.fetch;

/** Bun's `fetch.preconnect`, which opens a connection in advance; an empty type elsewhere. */
export type PreconnectMember = Pick<NativeFetch, Extract<keyof NativeFetch, 'preconnect'>>;

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

/** The members that layers of ebb add to an init. */
export interface LayerMembers {
  /** Identifies this call to layers of ebb below. */
  [LAYER]?: object;
}

/** Members that replace those of the caller's init. */
export interface InitChanges extends FetchInit, LayerMembers {
  duplex?: 'half';
}

/**
 * True if the arguments of a call can be passed on as they are, and again for a retry: no body or headers that can be used up, no signal,
 * nothing for ebb, and an idempotent method, for which the first hop does not matter.
 */
export function isSimple(input: FetchInput, init: EbbRequestInit | undefined): boolean {
  if (typeof input !== 'string' && !(input instanceof URL)) return false;
  if (!init) return true;
  const { method, body, headers, signal, ebb, [LAYER]: layer }: EbbRequestInit & LayerMembers = init;
  return (
    !signal &&
    ebb === undefined &&
    layer === undefined &&
    typeof (body ?? '') === 'string' &&
    (method === undefined || isIdempotent(method)) &&
    !isReadOnce(headers)
  );
}

/** Tests by name, because the `Request` may come from another realm. An init may have a `url` and a `clone` of its own. */
export function isRequest(value: unknown): value is Request {
  return (
    typeof value === 'object' &&
    (value instanceof Request || Object.prototype.toString.call(value) === '[object Request]')
  );
}

/** The members of an init, or of a `Request`, also those of its class, which a copy would lose. */
export function membersOf<T extends object>(source: T): T {
  const members: Record<string, unknown> = {};
  let from = Object.getPrototypeOf(source);
  for (; from && Object.getPrototypeOf(from); from = Object.getPrototypeOf(from)) {
    for (const name of Object.getOwnPropertyNames(from)) members[name] = source[name as never];
  }
  return { ...members, ...source };
}

/** The arguments of the base fetch, with changes to the init, and without `ebb`. */
export function withChanges(
  input: FetchInput,
  init: EbbRequestInit | undefined,
  changes: InitChanges,
): [FetchInput, FetchInit] {
  // The members of a `Request` in place of an init cannot be copied: some of its class depend on others.
  if (isRequest(init)) return [new Request(input, init), changes];
  // The base fetch throws for it.
  if (init !== undefined && init !== null && typeof init !== 'object') return [input, init];
  const { ebb: _, ...own } = membersOf(init ?? {});
  return [input, { ...(own as FetchInit), ...changes }];
}

/** True for headers that can be read only once, such as an iterator. */
function isReadOnce(headers: unknown): headers is Iterable<Iterable<string>> {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return false;
  const { get, [Symbol.iterator]: iterate }: Partial<Map<string, string>> = headers;
  return !get && typeof iterate === 'function';
}

/**
 * An init whose headers can be read more than once: the same one, or a copy.
 *
 * @throws what an iterator throws, as fetch would
 */
export function withRereadableBody<T extends EbbRequestInit | undefined>(init: T): T {
  const headers: unknown = init?.headers;
  if (!isReadOnce(headers)) return init;
  return { ...membersOf(init as object), headers: new Headers(headers as GivenHeaders) } as T;
}

/** {@link copyArguments}, or `undefined` if there is nothing to copy: a call with a text alone, as most are. */
export function keptAtOnce<T extends EbbRequestInit>(
  input: FetchInput,
  init: T | undefined,
): [FetchInput, T | undefined] | undefined {
  return init === undefined && typeof input === 'string' ? undefined : copyArguments(input, init);
}

/** Headers of the same form, which the owner of these cannot change. Those that fetch refuses stay as they are. */
function copyOf(headers: GivenHeaders): GivenHeaders {
  try {
    if (Array.isArray(headers)) return headers.map((pair) => [...pair]) as never;
    // Another fetch has a class of its own.
    return Symbol.iterator in headers
      ? new (headers.constructor as typeof Headers)(headers as Headers)
      : { ...headers };
  } catch {
    return headers;
  }
}

/**
 * Copies the arguments of a call for later attempts, since their owner may change them meanwhile. To be called in the turn of the call.
 * Buffers, forms and streams are not copied, nor is a `Request` in place of the init.
 */
export function copyArguments<T extends EbbRequestInit>(
  input: FetchInput,
  init: T | undefined,
): [FetchInput, T | undefined] {
  if (init !== undefined && (typeof init !== 'object' || isRequest(init))) return [input, init];
  const own: EbbRequestInit | undefined = init && membersOf(init);
  const { headers, body }: EbbRequestInit = own ?? {};
  // An init would take its referrer from a `Request`.
  if (isRequest(input)) {
    const { referrer, referrerPolicy } = input;
    const made = { referrer, referrerPolicy, ...own, headers: copyOf(headers ?? input.headers) };
    return [input, made as unknown as T];
  }
  if (own && headers) own.headers = copyOf(headers);
  if (own && body instanceof URLSearchParams) own.body = new URLSearchParams(body);
  return [input instanceof URL ? new URL(input) : input, own as T | undefined];
}

/** Headers as fetch takes them. Runtimes have other names for the type. */
type GivenHeaders = NonNullable<RequestInit['headers']>;

/** A request header by its lower-case name; `undefined` also if the base fetch will reject the headers. */
export function headerIn(headers: GivenHeaders | null | undefined, name: string): string | undefined {
  if (!headers) return undefined;
  try {
    return new Headers(headers).get(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The headers of one attempt. */
export function changedHeaders(own: GivenHeaders | undefined, changes: SentHeaders = {}): Headers {
  const headers = new Headers(own);
  for (const [name, value] of Object.entries(changes)) {
    try {
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    } catch {
      // The error of the runtime quotes the value, which may be a credential.
      throw new TypeError(`fetch: the header ${JSON.stringify(name)} has an invalid name or value`);
    }
  }
  return headers;
}

/** Enough to know that a base does not matter. Parsing takes three times as long, and a bucket asks for each request. */
const WHOLE = /^https?:\/\//i;

/** The URL that fetch will request; the input as a string if fetch will reject it. */
export function absoluteUrl(input: unknown): string {
  const url = String(input);
  if (WHOLE.test(url) || URL.canParse(url)) return url;
  // `document` in browsers, `location` also in their workers, neither elsewhere. Deno has a location that throws.
  const base =
    property(property(globalThis, 'document'), 'baseURI') ??
    property(property(globalThis, 'location'), 'href');
  return URL.parse(url, base as string | undefined)?.href ?? url;
}
