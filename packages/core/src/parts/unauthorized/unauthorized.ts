import { worker } from '#worker';
import { callable, wrongType } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import type { Advice, Responded } from '../../http/outcome.ts';
import type { HeaderChanges } from '../../loop/hooks.ts';
import type { Calls, Part, PartCall, PartInstance } from '../../loop/part.ts';
import { Credentials, type Refresh } from './credentials.ts';

/** Options of {@link unauthorized}. */
export interface UnauthorizedOptions {
  /**
   * Gets new credentials: the headers of every attempt from then on, for `trustedOrigins`; or nothing, if `beforeAttempt` of the policy has
   * them. It must not go through the client that it refreshes, which waits for it, and should have a timeout of its own.
   */
  readonly refresh: Refresh;
}

const OPTIONS: OptionTable<UnauthorizedOptions> = { refresh: { check: callable, required: true } };

/** In production builds as well: without the option the credentials go to every server that says 401. */
function checkCalls({ trustedOrigins }: Calls): void {
  const takes = "set in its policy, such as trustedOrigins: ['https://api.example.com']";
  if (trustedOrigins === undefined) throw wrongType('unauthorized: trustedOrigins', takes, undefined);
}

/**
 * After a 401 gets new credentials, once for all requests in flight, and sends each of them once more, whatever its method: a 401 says that
 * nothing was done. That goes at once, takes tokens, and counts as no retry; a body that cannot be sent again is not sent again. A second
 * 401 is the answer.
 *
 * The policy must have `trustedOrigins`: only these get the credentials, and only a 401 from them begins a refresh.
 *
 * Requests that begin during a refresh wait for it. A 401 to one that was sent before a refresh had ended needs no other. If a refresh fails, the
 * 401 is the answer, and the `error` of the event `end` is why; the next 401 tries again. A refresh counts in `attemptTimeoutMs`.
 *
 * For the outermost client: one below another leaves its 401 to that. In Cloudflare Workers it belongs to the request that makes it:
 * another one that uses it gets a TypeError.
 *
 * @throws TypeError for a wrong option
 * @throws TypeError when a policy is made with it that has no `trustedOrigins`
 * @example
 * ```ts
 * import { createPolicy, unauthorized } from '@ebb/core';
 *
 * const refresh = async () => ({ authorization: `Bearer ${await newToken()}` });
 * const policy = createPolicy({
 *   trustedOrigins: ['https://api.example.com'],
 *   use: [unauthorized({ refresh })],
 * });
 * declare const newToken: () => Promise<string>;
 * ```
 */
export function unauthorized(options: UnauthorizedOptions): Part {
  const { refresh } = readOptions('unauthorized', options, OPTIONS);
  const credentials = new Credentials(refresh);
  if (worker) worker.bind(credentials, 'unauthorized');
  const begin = (call: PartCall): PartInstance => {
    if (worker) worker.mustBeOurs(credentials);
    return new UnauthorizedPartInstance(credentials, call);
  };
  return { name: 'unauthorized', place: 'headers', checkCalls, begin };
}

class UnauthorizedPartInstance implements PartInstance {
  readonly #credentials: Credentials;
  readonly #call: PartCall;
  /** How many refreshes had ended when the headers of the attempt were made; `undefined` for an origin that gets none. */
  #madeAfter: number | undefined;
  #wasRepeated = false;

  constructor(credentials: Credentials, call: PartCall) {
    this.#credentials = credentials;
    this.#call = call;
  }

  headers(): HeaderChanges | undefined | Promise<HeaderChanges | undefined> {
    // What it rejects with is for those whose 401 has begun it.
    const { pending } = this.#credentials;
    return pending === undefined ? this.#newest() : pending.catch(() => undefined).then(() => this.#newest());
  }

  #newest(): HeaderChanges | undefined {
    this.#madeAfter = this.#credentials.ended;
    return this.#credentials.headers;
  }

  judge({ status, redirected }: Responded): Advice | undefined | Promise<Advice> {
    const { layers, request } = this.#call;
    const madeAfter = this.#madeAfter;
    // The target of a redirect says nothing about the first server, which may have carried out the request.
    if (status !== 401 || redirected || layers.isInner || this.#wasRepeated) return undefined;
    if (madeAfter === undefined || !request.replayable) return undefined;
    this.#wasRepeated = true;
    const credentials = this.#credentials;
    return madeAfter === credentials.ended ? credentials.renew().then(() => this.#advice()) : this.#advice();
  }

  #advice(): Advice {
    const { failure } = this.#credentials;
    return failure === undefined ? { verdict: 'refused', again: true } : { verdict: 'final', ...failure };
  }
}
