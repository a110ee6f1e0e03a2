// For Node, Bun, Deno and workerd: how the hops of an attempt are counted, when the body of a response has arrived, and what a server
// framework does. web.ts has the same names. Selected by the conditions of "imports" in package.json.
import type { RequestTraits } from '@ebb/core';
import {
  type BodyContext,
  type Call,
  isIdempotent,
  isNodeReadable,
  isWebReadable,
  LONGEST_DISCARD_MS,
  property,
  readAhead,
  whenArrived,
} from '@ebb/core/adapter';
import type { isLostConnection as web } from '../lost-connection.ts';
import type { EbbRequestInit, FetchInput, PreconnectMember } from '../request.ts';
import { isRequest, membersOf } from '../request.ts';

/** The part of `AsyncLocalStorage` in use. */
interface Storage<T> {
  getStore(): T | undefined;
  run<R>(store: T, callback: () => R): R;
}

interface NodeProcess {
  readonly versions?: { readonly undici?: string };
  getBuiltinModule?(id: 'node:async_hooks'): { AsyncLocalStorage: new <T>() => Storage<T> } | undefined;
  getBuiltinModule?(id: 'node:stream'): { finished(stream: object, ended: () => void): unknown };
  getBuiltinModule?(id: 'node:diagnostics_channel'): {
    subscribe<T>(channel: string, listener: (message: T) => void): void;
  };
}

/** The `process` of Node or a compatible runtime. Node's modules are not imported, because bundlers fail on them. */
const nodeProcess: NodeProcess | undefined = (globalThis as { process?: NodeProcess }).process;

/** A request on undici's diagnostics channel. */
interface SentRequest {
  readonly origin?: unknown;
  readonly path?: unknown;
  readonly method?: unknown;
}

/** A message on undici's diagnostics channel for failed connections. */
interface ConnectError {
  readonly connectParams?: { readonly protocol?: string; readonly host?: string };
  readonly error?: unknown;
}

/** The request of an attempt. */
interface RedirectSource extends RequestTraits {
  readonly followsRedirects: boolean;
}

/** Counts the requests that one attempt sends, redirects included. */
export class Hops {
  #count = 0;
  #first: SentRequest | undefined;

  /** Sends the attempt, and counts its requests. Counts nothing in a runtime that does not report them. */
  count<T>(send: () => Promise<T>): Promise<T> {
    storage ??= listen();
    return storage === null ? send() : storage.run(this, send);
  }

  record(request: SentRequest | undefined): void {
    // To a proxy, for a tunnel: no fetch can send it.
    if (request?.method === 'CONNECT') return;
    this.#count += 1;
    this.#first ??= request;
  }

  /**
   * True if a failed attempt certainly failed at its first hop: it sent exactly one request, to its own URL. Nothing is
   * certain with a base fetch that sends other requests, or does not use Node's own client.
   */
  failedAtFirst({ method, url }: RequestTraits): boolean {
    const parsed = URL.parse(url);
    if (this.#count !== 1 || !this.#first || !parsed) return false;
    const { origin, path, method: sent } = this.#first;
    return (
      String(origin) === parsed.origin &&
      path === parsed.pathname + parsed.search &&
      String(sent).toUpperCase() === method
    );
  }
}

/**
 * The counter of the hops of an attempt, if a retry needs proof that the first hop refused the connection. If a redirect target refused the
 * connection, the first server has already processed the request, which must not be repeated.
 */
export function hopsOf(
  { attempt, wasAtOnce, policy, isInner }: Call,
  request: RedirectSource,
): Hops | undefined {
  const { maxRetries, methods } = policy;
  // An inner layer sends once, and its requests count for the outer one. An attempt that is sent again at once is no retry.
  if (attempt > (wasAtOnce ? maxRetries + 1 : maxRetries) || methods === 'all' || isInner) return undefined;
  const { method } = request;
  // The test of the others takes a tenth of all that ebb does for a request.
  if (methods === 'idempotent' && (method === 'GET' || isIdempotent(method))) return undefined;
  return request.followsRedirects ? new Hops() : undefined;
}

/** False if an attempt certainly could not connect to its own server, so that nothing of it was sent. */
export function wasRedirected(
  error: unknown,
  request: RequestTraits,
  hops: Hops | undefined,
  _isIdempotent: boolean,
): boolean | undefined {
  if (hops) return !hops.failedAtFirst(request);
  return failedToConnectTo(error, request.url) ? false : undefined;
}

/** `null` in a runtime whose fetch does not report its requests. */
let storage: Storage<Hops> | null | undefined;

/**
 * Only Node's fetch reports its requests. On Node 22 the first attempt that is counted makes every later `await` of the
 * process about 60 ns slower.
 */
function listen(): Storage<Hops> | null {
  const hooks = nodeProcess?.getBuiltinModule?.('node:async_hooks');
  if (!hooks) return null;
  const made = new hooks.AsyncLocalStorage<Hops>();
  const isHeard = subscribe('undici:request:create', ({ request }: { request?: SentRequest }) => {
    made.getStore()?.record(request);
  });
  return isHeard ? made : null;
}

/** Returns false in a runtime whose fetch is not undici's. */
function subscribe<T>(channel: string, listener: (message: T) => void): boolean {
  if (nodeProcess?.versions?.undici === undefined) return false;
  nodeProcess.getBuiltinModule?.('node:diagnostics_channel')?.subscribe(channel, listener);
  return true;
}

/** The errors of these runtimes have codes, causes or messages of their own. */
export const isLostConnection: typeof web | undefined = undefined;

/** The origin of each failed connection, by its error. */
const origins = new WeakMap<object, string>();
let isSubscribed = false;

/** Starts to record the origins of failed connections of Node's fetch. Costs nothing until one fails. */
export function recordConnectErrors(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe('undici:client:connectError', ({ connectParams, error }: ConnectError) => {
    const origin = URL.parse(`${connectParams?.protocol}//${connectParams?.host}`)?.origin;
    if (typeof error === 'object' && error !== null && origin !== undefined) origins.set(error, origin);
  });
}

/**
 * True if fetch failed because it could not connect to the origin of `url`. Then nothing of the attempt was sent: after
 * a redirect from that origin a connection to it would exist. The exception is a server that redirects to itself, closes
 * the connection and refuses the next: its attempt gets a token back although the server counted it.
 */
function failedToConnectTo(error: unknown, url: string): boolean {
  const origin = origins.get(property(error, 'cause') as object);
  return origin !== undefined && origin === URL.parse(url)?.origin;
}

/** Calls a function when a response is garbage-collected. */
const collected = /* @__PURE__ */ new FinalizationRegistry((ended: () => void) => ended());

/**
 * Calls `ended` once the body of a response has arrived, read or not, or has failed; of one that is long or slow, when it has been read,
 * or the response is garbage-collected. May call it more than once. For what is left over from a request, and can wait: the slot of a concurrency
 * limit is released by the limit's own watch.
 */
export function whenBodyEnds(settled: unknown, { clock }: BodyContext, ended: () => void): void {
  try {
    const response = settled as Response;
    const body: unknown = response.body;
    collected.register(response, ended);
    // It may have broken during a look.
    if (isNodeReadable(body)) whenArrived(body, undefined, clock, ended);
    else if (isWebReadable(body)) {
      whenRead(body, ended);
      readAhead(response.clone().body, clock, LONGEST_DISCARD_MS, ended);
    } else ended();
  } catch {
    // A mock has no connection.
    ended();
  }
}

/** Calls `ended` when a stream has been read or cancelled, or has failed. Node, Bun and Deno tell when one of their own streams ends, whatever reads it. */
export function whenRead(body: object, ended: () => void): void {
  try {
    nodeProcess?.getBuiltinModule?.('node:stream').finished(body, ended);
  } catch {
    // Another runtime, or a stream of another make.
  }
}

/** Gives a fetch the `preconnect` of its base fetch, or else of the runtime's fetch. */
export function withPreconnect<F extends object>(fetch: F, baseFetch: object): F & PreconnectMember {
  const preconnect = property(baseFetch, 'preconnect') ?? property(globalThis.fetch, 'preconnect');
  return (preconnect === undefined ? fetch : Object.assign(fetch, { preconnect })) as F & PreconnectMember;
}

/** Next.js sets it when it replaces the global fetch: `patch-fetch-symbol.js` of next 16. */
const PATCHED = Symbol.for('next-patch');

/**
 * The arguments of the same request that get a response of their own; the same ones if they do already. In a server of Next.js all
 * calls of one render with the same URL and headers get one response, unless the init has a signal (`dedupe-fetch.js` of next
 * 16): a retry would get the response that it follows. So they are a URL, and an init with a signal. A `Request` does not do,
 * not even beside such an init, because Next.js makes both into one `Request`. It keeps no `dispatcher` either.
 *
 * @param signal the caller's signal; without one, a signal that never aborts
 */
export function copyForAttempt(
  method: string,
  input: FetchInput,
  init: EbbRequestInit | undefined,
  signal: AbortSignal | undefined,
): [FetchInput, EbbRequestInit | undefined] {
  const isNext = property(globalThis, PATCHED) === true;
  if (!isNext || (method !== 'GET' && method !== 'HEAD')) return [input, init];
  const request = isRequest(input) ? input : undefined;
  const members = { ...(request && membersOf(request)), ...(init && membersOf(init)) };
  return [request?.url ?? input, { ...members, signal: signal ?? new AbortController().signal }];
}
