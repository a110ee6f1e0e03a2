import type { RequestTraits } from '@ebb/core';
import { type Call, isIdempotent, property } from '@ebb/core/adapter';
import { nodeProcess, type Storage } from './node.ts';

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
interface Redirectable extends RequestTraits {
  readonly followsRedirects: boolean;
}

/** Counts the requests that one attempt sends, redirects included. */
export class Hops {
  #count = 0;
  #first: SentRequest | undefined;
  /** The attempt of a layer of ebb above, which this one is part of. */
  #outer: Hops | undefined;
  #isOpen = true;

  /** Sends the attempt, and counts its requests. Counts nothing in a runtime that does not report them. */
  count<T>(send: () => Promise<T>): Promise<T> {
    storage ??= listen();
    if (storage === null) return send();
    const outer = storage.getStore();
    // Two steps, because an optional chain cannot end in a private name.
    if (outer !== undefined) this.#outer = outer.#isOpen ? outer : undefined;
    const result = storage.run(this, send);
    const close = (): void => {
      this.#isOpen = false;
      // A socket or a timer may hold the context of this attempt for ever.
      this.#outer = undefined;
    };
    Promise.resolve(result).then(close, close);
    return result;
  }

  record(request: SentRequest | undefined): void {
    this.#count += 1;
    this.#first ??= request;
    this.#outer?.record(request);
  }

  /**
   * True if a failed attempt certainly failed at its first hop: it sent exactly one request, to its own URL. Nothing is
   * certain with a base fetch that sends other requests, or does not use Node's own client.
   */
  failedAtFirst({ method, url }: RequestTraits): boolean {
    const parsed = URL.parse(url);
    if (this.#count !== 1 || this.#first === undefined || parsed === null) return false;
    const { origin, path, method: sent } = this.#first;
    return (
      String(origin) === parsed.origin &&
      path === parsed.pathname + parsed.search &&
      String(sent).toUpperCase() === method
    );
  }
}

/**
 * What counts the hops of an attempt, if a refused connection must be proven to be that of the first hop before a retry: if it is
 * that of a redirect target, the first server has already processed a request that must not be repeated.
 */
export function hopsOf({ attempt, policy }: Call, request: Redirectable): Hops | undefined {
  const { bucket, maxRetries, methods } = policy;
  if (bucket !== undefined) recordConnectErrors();
  if (attempt > maxRetries || methods === 'all') return undefined;
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
): boolean | undefined {
  if (hops !== undefined) return !hops.failedAtFirst(request);
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
  if (hooks === undefined) return null;
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
  const cause = property(error, 'cause');
  const origin = typeof cause === 'object' && cause !== null ? origins.get(cause) : undefined;
  return origin !== undefined && origin === URL.parse(url)?.origin;
}
