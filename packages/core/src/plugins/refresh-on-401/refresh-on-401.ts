import { worker } from '#worker';
import { callable, positive, wrongType } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { isReasonOf, withinBounds } from '../../call/deadline.ts';
import type { InspectAdvice, ResponseOutcome } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { HeaderChanges } from '../../policy/hooks.ts';
import type { Calls } from '../../policy/limit-options.ts';
import type { Plugin } from '../../policy/plugin.ts';
import { Credentials, type Refresh } from './credentials.ts';

/** Options of {@link refreshOn401}. */
export interface RefreshOn401Options {
  /**
   * Gets new credentials: the headers of every attempt from then on, for `trustedOrigins`; or nothing, if `beforeAttempt` of the policy has
   * them. It must not go through the client that it refreshes: the client waits for the refresh, so this is an error. Its
   * `signal` aborts after `refreshTimeoutMs`.
   */
  readonly refresh: Refresh;
  /**
   * How long a refresh may take, in milliseconds. Then it has failed, and the next 401 begins another. The timeout or the abort of a
   * request ends the wait of that request alone.
   * @default 30_000
   */
  readonly refreshTimeoutMs?: number | undefined;
}

const OPTIONS: OptionTable<RefreshOn401Options> = {
  refresh: { check: callable, required: true },
  refreshTimeoutMs: { check: positive, default: 30_000 },
};

/** In production builds as well: without the option the credentials go to every server that says 401. */
function checkCalls({ trustedOrigins }: Calls): void {
  const takes = "set in its policy, such as trustedOrigins: ['https://api.example.com']";
  if (trustedOrigins === undefined) throw wrongType('refreshOn401: trustedOrigins', takes, undefined);
}

/**
 * After a 401 gets new credentials, once for all requests in flight, and sends each of them once more, whatever its method: a 401 says that
 * nothing was done. It goes at once, takes tokens, and counts as no retry. A second 401 is the answer: the new credentials are refused as
 * well, and no refresh begins within 10 seconds of the last.
 *
 * The policy must have `trustedOrigins`: only these get the credentials, and only a 401 from them begins a refresh.
 *
 * Requests that begin during a refresh wait for it. A 401 to one that was sent before a refresh had ended needs no other. If a refresh fails, the
 * 401 is the answer, and the `error` of the event `end` is why; the next 401 tries again. A refresh counts in `attemptTimeoutMs`.
 *
 * A stream as a body can be sent once: the 401 is the answer, and begins no refresh. A function that makes the stream can be called again.
 *
 * For the outermost client: a nested client leaves its 401 to the client around it. In Cloudflare Workers the plugin belongs to
 * the request that makes it: its use in another request is a TypeError.
 *
 * @throws TypeError, RangeError for a wrong option
 * @throws TypeError when a policy is made with it that has no `trustedOrigins`
 * @example
 * ```ts
 * import { createPolicy, refreshOn401 } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   trustedOrigins: ['https://api.example.com'],
 *   plugins: [refreshOn401({ refresh: async ({ signal }) => ({ authorization: `Bearer ${await newToken(signal)}` }) })],
 * });
 * declare const newToken: (signal: AbortSignal) => Promise<string>;
 * ```
 */
export function refreshOn401(options: RefreshOn401Options): Plugin {
  const { refresh, refreshTimeoutMs } = readOptions('refreshOn401', options, OPTIONS);
  const credentials = new Credentials(refresh, refreshTimeoutMs);
  if (worker) worker.bind(credentials, 'refreshOn401');
  const calls = new WeakMap<CallView, RefreshedCall>();
  return {
    name: 'refreshOn401',
    checkCalls,
    started(call) {
      if (worker) worker.mustBeOurs(credentials);
      calls.set(call, new RefreshedCall(credentials, call));
    },
    beforeAttempt: (_, call) => calls.get(call)?.headers(),
    inspect: { judge: (outcome, call) => calls.get(call)?.judge(outcome) },
  };
}

class RefreshedCall {
  readonly #credentials: Credentials;
  readonly #call: CallView;
  /** How many refreshes had ended when the headers of the attempt were made; `undefined` for an origin that gets none. */
  #madeAfter: number | undefined;
  #wasRepeated = false;

  constructor(credentials: Credentials, call: CallView) {
    this.#credentials = credentials;
    this.#call = call;
  }

  headers(): HeaderChanges | undefined | Promise<HeaderChanges | undefined> {
    return this.#credentials.settled(this.#call)?.then(() => this.#newest()) ?? this.#newest();
  }

  #newest(): HeaderChanges | undefined {
    this.#madeAfter = this.#credentials.ended;
    return this.#credentials.headers;
  }

  judge({
    status,
    redirected,
  }: ResponseOutcome): InspectAdvice | undefined | Promise<InspectAdvice | undefined> {
    const { isInner, request, policy } = this.#call;
    const madeAfter = this.#madeAfter;
    const credentials = this.#credentials;
    // The target of a redirect says nothing about the first server, which may have carried out the request.
    if (status !== 401 || redirected || isInner || madeAfter === undefined) return undefined;
    const areNewest = madeAfter === credentials.ended;
    if (this.#wasRepeated) {
      if (areNewest) credentials.refused();
      return undefined;
    }
    if (!request.replayable || (areNewest && credentials.isPaused(policy.clock.now()))) return undefined;
    this.#wasRepeated = true;
    return areNewest ? this.#renewed() : this.#advice();
  }

  /** Returns the advice after a refresh. After an abort of `stopSignal` there is nothing to refresh for: the 401 is the answer. */
  async #renewed(): Promise<InspectAdvice | undefined> {
    const { clock, stopSignal: signal } = this.#call.policy;
    if (signal?.aborted) return undefined;
    const renewing = this.#credentials.renew(this.#call);
    try {
      await withinBounds(renewing, { clock, signal, leftMs: Infinity, late: () => undefined });
    } catch (error) {
      if (!isReasonOf(signal, error)) throw error;
      return undefined;
    }
    return this.#advice();
  }

  #advice(): InspectAdvice {
    const { failure } = this.#credentials;
    return failure === undefined ? { verdict: 'refused', retryNow: true } : { verdict: 'final', ...failure };
  }
}
