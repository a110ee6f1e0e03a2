import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import type { Policy, RequestTraits } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import type { ResponseHead } from './headers.ts';

/** The statuses that a `fetch` follows or refuses. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** True for a response that a reader may leave unread. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** A request that a redirect asks for. */
interface Target {
  readonly url: string;
  readonly method: string;
}

/**
 * A call and the redirects that it follows. undici follows redirects above ebb, so that each hop is dispatched as a request of its
 * own; but what a hook adds belongs to the origin of the call.
 */
export class Trail {
  readonly #storage: AsyncLocalStorage<Followed>;
  readonly origin: string;
  /** True once a hop had another origin. It stays: a client does not restore the headers that it removed either. */
  isAway = false;
  /** The idempotency key of the call. It is carried on once: a caller who sends to the same URL again wants a key of its own. */
  key: string | undefined;
  /** What the last response asks for, if it is a redirect: several, if its location can be read in several ways. */
  #targets: readonly Target[] = [];

  constructor(request: RequestTraits, storage: AsyncLocalStorage<Followed>) {
    this.#storage = storage;
    this.origin = originOf(request);
  }

  /** Notes the response that the handler is about to get. */
  note({ request, idempotencyKey }: Session, { status, headers: { location } }: ResponseHead): void {
    this.key = idempotencyKey;
    this.#targets = [];
    if (!isRedirect(status) && status !== 300) return;
    // Of several fields, fetch and the redirect interceptor make one in different ways.
    const locations = Array.isArray(location) ? [location.join(', '), location.join()] : [location ?? ''];
    const method = methodAfter(status, request.method);
    this.#targets = locations.map((one) => ({ url: addressOf(one, request.url), method }));
  }

  /** True if a request is what the last response asks for. */
  leadsTo(request: RequestTraits): boolean {
    const url = addressOf(request.url);
    return this.#targets.some((target) => target.url === url && target.method === request.method);
  }

  /** Calls the handler, so that a hop that it dispatches is found. */
  within(call: () => void): void {
    if (this.#targets.length === 0) call();
    else this.#storage.run({ trail: this, isInside: true }, call);
  }

  /** What a hop needs to know of the call. */
  hop(request: RequestTraits): { readonly isAway: boolean; readonly key: string | undefined } {
    this.isAway ||= originOf(request) !== this.origin;
    const { isAway, key } = this;
    this.key = undefined;
    return { isAway, key };
  }
}

/** An interceptor that looks names up sends to an address, and the name in `Host`. */
function originOf(request: RequestTraits): string {
  const { protocol, host } = URL.parse(request.url) ?? { protocol: '', host: request.url };
  return `${protocol}//${request.header('host') ?? host}`;
}

/** Without the fragment, which is not sent. */
function addressOf(url: string, base?: string): string {
  const parsed = URL.parse(url, base);
  return parsed === null ? url : parsed.origin + parsed.pathname + parsed.search;
}

/** The method of the next hop. Source: the Fetch standard, HTTP-redirect fetch, step 12. */
function methodAfter(status: number, method: string): string {
  const isGet = (status === 301 || status === 302) && method === 'POST';
  return isGet || (status === 303 && method !== 'HEAD') ? 'GET' : method;
}

interface Followed {
  readonly trail: Trail;
  /**
   * True while the handler is told that a redirect has ended: what is dispatched then is its hop, whatever its URL. Once only: a
   * connection that is opened meanwhile keeps this context for the requests that use it later.
   */
  isInside: boolean;
}

/** True if a policy adds headers, so that it matters which requests are hops. */
export function addsHeaders({ beforeAttempt, idempotencyKey, use }: Policy): boolean {
  return (beforeAttempt ?? idempotencyKey ?? use) !== undefined;
}

/**
 * Finds the call of a hop. undici's redirect interceptor dispatches a hop while its handler is called, and a `fetch` from its own
 * async context, which is that of the call's first dispatch. Entering that context also enters it in what the caller does
 * next; so a request is a hop only if it is exactly what the last response has asked for.
 */
export class Trails {
  /** Made by the first request that needs it: in some versions of Node it makes every `await` slower. */
  #storage: AsyncLocalStorage<Followed> | undefined;

  /** The trail of a request; `undefined` if it needs none. For a hop it also tells the session. */
  trailOf(session: Session, handler: Dispatcher.DispatchHandler): Trail | undefined {
    // Handlers of undici's own functions, which follow no redirects, are async resources. Those of fetch and of interceptors are not.
    if (handler instanceof AsyncResource) return undefined;
    const { request } = session;
    this.#storage ??= new AsyncLocalStorage();
    const found = this.#storage.getStore();
    if (found !== undefined && (found.isInside || found.trail.leadsTo(request))) {
      found.isInside = false;
      session.hop = found.trail.hop(request);
      return found.trail;
    }
    const trail = new Trail(request, this.#storage);
    this.#storage.enterWith({ trail, isInside: false });
    return trail;
  }
}
