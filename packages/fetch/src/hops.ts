import { nodeProcess, type Storage } from './node.ts';

/** A request as undici tells of it on its diagnostics channel. */
interface SentRequest {
  readonly origin?: unknown;
  readonly path?: unknown;
  readonly method?: unknown;
}

/** The requests that one attempt has sent, redirects included. */
export class Hops {
  #count = 0;
  #first: SentRequest | undefined;
  /** The attempt that this one is a part of, if another layer of ebb lies above. */
  #outer: Hops | undefined;
  #isOpen = true;

  /** Calls what sends the attempt, and counts what is sent for it; nothing in a runtime that does not tell. */
  count<T>(send: () => Promise<T>): Promise<T> {
    storage ??= listen();
    if (storage === null) return send();
    const outer = storage.getStore();
    // Not as one condition: an optional chain cannot end in a private name.
    if (outer !== undefined) this.#outer = outer.#isOpen ? outer : undefined;
    const result = storage.run(this, send);
    const close = (): void => {
      this.#isOpen = false;
      // A socket or a timer may keep the context of an attempt for ever.
      this.#outer = undefined;
    };
    Promise.resolve(result).then(close, close);
    return result;
  }

  saw(request: SentRequest | undefined): void {
    this.#count += 1;
    this.#first ??= request;
    this.#outer?.saw(request);
  }

  /**
   * Whether an attempt that failed is proven to have failed at its first hop: it sent one request, and that was to
   * its own URL. With a base fetch that sends other requests, or none by Node's own client, nothing is proven.
   */
  isFirst(method: string, url: string): boolean {
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

/** `null` in a runtime whose fetch does not tell of its hops. */
let storage: Storage<Hops> | null | undefined;

/**
 * Only Node's fetch tells. On Node 22 the first attempt that is counted makes every later `await` of the process a
 * little slower.
 */
function listen(): Storage<Hops> | null {
  if (nodeProcess?.versions?.undici === undefined) return null;
  const hooks = nodeProcess.getBuiltinModule?.('node:async_hooks');
  if (hooks === undefined) return null;
  const made = new hooks.AsyncLocalStorage<Hops>();
  nodeProcess
    .getBuiltinModule?.('node:diagnostics_channel')
    ?.subscribe('undici:request:create', (message) => {
      made.getStore()?.saw((message as { request?: SentRequest }).request);
    });
  return made;
}
