import { worker } from '#worker';
import { callable } from '../../base/check.ts';
import { callHook } from '../../base/errors.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { onAbort } from '../../base/signals.ts';
import type { Call } from '../../call/call.ts';
import type { MiddlewareRun } from '../../call/middleware.ts';
import type { Transport } from '../../call/transport.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import { checkKey } from '../../policy/cost.ts';
import type { InnermostMiddleware } from '../../policy/middleware.ts';
import { addsCredentials } from '../../policy/trust.ts';
import { numberOf } from './signature.ts';

/** Options of `deduplicate`. */
export interface DeduplicateOptions {
  /**
   * Returns a key for everything else that a response depends on, such as the user: only requests with the same key share a send.
   * Required if hooks or plugins of the policy add headers, which may belong to one caller.
   * @default none
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
}

const OPTIONS: OptionTable<DeduplicateOptions, 'keyOf'> = { keyOf: { check: callable } };

/** The functions of a client by which its requests share a send. */
export interface DeduplicatePort<T> {
  /**
   * A text of everything on which a send depends; `undefined` for a request that is sent by itself.
   *
   * @throws TypeError for another client's request
   */
  signatureOf(client: Transport<T>): string | undefined;
  /** The same request, under a signal in place of its own. */
  under(client: Transport<T>, signal: AbortSignal, call: Call): Transport<T>;
  /** The result for the last caller that gets it. */
  last(result: T, client: Transport<T>): T;
  /** A copy of the result for one of several callers; `undefined` if it cannot be copied. */
  copy(result: T, client: Transport<T>): T | undefined;
  /** The error that a caller gets. */
  errorOf(error: unknown, client: Transport<T>): unknown;
}

/** A caller that waits for a shared send. */
interface Caller<T> {
  readonly asked: MiddlewareRun<T>;
  /** Sends its request by itself. */
  send(): Promise<T>;
  resolve(result: T | PromiseLike<T>): void;
  reject(error: unknown): void;
}

/** A single send for all callers whose requests are equal. */
class SharedSend<T> {
  readonly #port: DeduplicatePort<T>;
  readonly #callers = new Set<Caller<T>>();
  readonly #abort = new AbortController();
  /** Called once no other caller may join. */
  readonly #over: () => void;
  #sent: Promise<T> | undefined;

  constructor(port: DeduplicatePort<T>, over: () => void) {
    this.#port = port;
    this.#over = over;
  }

  join(asked: MiddlewareRun<T>, send: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const caller: Caller<T> = { asked, send, resolve, reject };
      this.#callers.add(caller);
      onAbort(asked.signal, () => this.#leave(caller));
      if (this.#sent === undefined) this.#send(asked);
    });
  }

  #send(asked: MiddlewareRun<T>): void {
    const { client, call } = asked;
    const { signal } = this.#abort;
    this.#sent = asked.sendAs(this.#port.under(client, signal, call), signal);
    this.#sent.then(
      (result) => this.#resolve(result, asked),
      (error: unknown) => {
        this.#over();
        for (const { asked: one, reject } of this.#callers) reject(this.#port.errorOf(error, one.client));
      },
    );
  }

  /** Removes a caller. The last caller to leave ends the send, and gets the client's error for the abort. */
  #leave(caller: Caller<T>): void {
    if (!this.#callers.delete(caller) || this.#callers.size > 0) return;
    this.#over();
    caller.asked.ending = this.#sent?.catch((error: unknown) => {
      throw this.#port.errorOf(error, caller.asked.client);
    });
    this.#abort.abort(caller.asked.signal.reason);
  }

  #resolve(result: T, { client, call }: MiddlewareRun<T>): void {
    this.#over();
    const callers = [...this.#callers];
    const first = callers.shift();
    // All have left, and the client has ignored that.
    if (first === undefined) client.setAside(result, call, AbortSignal.abort());
    // Copied before the first caller has the result.
    for (const { asked, resolve, send } of callers) resolve(this.#port.copy(result, asked.client) ?? send());
    first?.resolve(this.#port.last(result, first.asked.client));
  }
}

/**
 * The middleware `deduplicate` of a client.
 *
 * @throws TypeError for a wrong option
 */
export function deduplicateWith<T>(
  port: DeduplicatePort<T>,
  options: DeduplicateOptions,
): InnermostMiddleware {
  const { keyOf } = readOptions('deduplicate', options, OPTIONS);
  const sends = new Map<string, SharedSend<T>>();
  if (worker) worker.bind(sends, 'deduplicate');

  function answer(asked: MiddlewareRun<T>, send: () => Promise<T>): Promise<T> {
    const { policy, request } = asked.call;
    if (worker) worker.mustBeOurs(sends);
    // Other middleware may have waited meanwhile.
    asked.signal.throwIfAborted();
    if (keyOf === undefined && addsCredentials(policy))
      throw new TypeError('deduplicate: with hooks that add headers `keyOf` must say whom a request is for');
    const own = port.signatureOf(asked.client);
    if (own === undefined) return send();
    const more = keyOf === undefined ? '' : callHook('keyOf', () => keyOf(request), checkKey);
    // A request with `ebb` options has a policy of its own, and is sent by itself.
    const key = `${numberOf(policy)} ${own} ${more}`;
    let shared = sends.get(key);
    if (shared === undefined) {
      const made = new SharedSend(port, () => sends.get(key) === made && sends.delete(key));
      shared = made;
      sends.set(key, made);
    }
    return shared.join(asked, send);
  }

  return Object.assign(answer as never, { isInnermost: true } as const);
}
