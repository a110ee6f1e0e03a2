import type { Plugin, PolicyOptions, RequestTraits, WrapAttempt } from '@ebb/core';
import { type CallPolicy, devText, isPromise, overridePolicy, property } from '@ebb/core/internal';

/** The state of a call since its start. */
export interface CallStart {
  readonly policy: CallPolicy;
  readonly atMs: number;
  /** The `timeout` of the request, if it is one of axios. */
  readonly timeoutMs: number;
  /** The library's delay before the next attempt, in milliseconds. */
  delayMs?: number;
  /** A promise that a function of the program has returned: the next attempt, and the end of the call, wait for it. */
  pending?: Promise<unknown>;
  /** The error of a function of the program: a client ends the call with it. */
  thrown?: { readonly error: unknown };
  /** The verdict on an attempt that has been waited for. */
  verdict?: { readonly attempt: number; readonly verdict: 'transient' | 'final' };
  /** The errors of all attempts, for a library that chooses among them. */
  readonly errors: unknown[];
}

const begun = /* @__PURE__ */ new WeakMap<RequestTraits, CallStart>();

/** The config of a request of axios: `AxiosRequest` has it. */
export function configOf(request: RequestTraits): Record<string, unknown> | undefined {
  return property(request, 'config') as Record<string, unknown> | undefined;
}

/** The particulars of a library. */
export interface LikeCalls {
  /** Options that the request has for itself. */
  own?(request: RequestTraits): PolicyOptions | undefined;
  /** The headers that the program has changed for the attempts to come. */
  headers?(request: RequestTraits): Record<string, string | undefined> | undefined;
  /** Stands around each attempt. */
  readonly wrapAttempt?: WrapAttempt | undefined;
}

/** The connection of a response that no one gets is free again. */
function cancelBody(result: unknown): void {
  const body = property(result, 'body') as Partial<ReadableStream> | null | undefined;
  body?.cancel?.().catch(() => undefined);
}

/**
 * Remembers when a call has begun, which neither `classify` nor `backoff` know, waits for what its functions have begun, and ends the call
 * with the error that the library would throw.
 */
export function remember({ own, headers, wrapAttempt }: LikeCalls = {}): Plugin {
  return {
    name: 'like',
    started(call) {
      const { request } = call;
      const options = own?.(request);
      if (options !== undefined)
        Object.assign(call, { policy: overridePolicy(call.policy as never, options) });
      const { policy } = call;
      const timeoutMs = Number(configOf(request)?.timeout) || 0;
      begun.set(request, { policy, atMs: policy.clock.now(), timeoutMs, errors: [] });
    },
    publicHeaders(_, { request }) {
      const { pending } = callStartOf(request);
      return pending === undefined ? headers?.(request) : pending.then(() => headers?.(request));
    },
    ...(wrapAttempt && { wrapAttempt }),
    // `retry` calls none.
    middleware: [
      async ({ request }, next) => {
        const ended = await next().then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        );
        await begun.get(request)?.pending;
        const thrown = begun.get(request)?.thrown;
        if (thrown) {
          if ('result' in ended) cancelBody(ended.result);
          throw thrown.error;
        }
        if ('error' in ended) throw ended.error;
        return ended.result;
      },
    ],
  };
}

/** `undefined` for a request of a call that is not remembered. */
export function startOf(request: RequestTraits): CallStart | undefined {
  return begun.get(request);
}

/** @throws TypeError if the options have other `plugins` */
export function callStartOf(request: RequestTraits): CallStart {
  const call = begun.get(request);
  if (call === undefined)
    throw new TypeError(devText('plugins lack what the options of this library bring: add it to theirs'));
  return call;
}

/** How long a call goes on, in milliseconds. */
export function elapsedMs({ policy, atMs }: CallStart): number {
  return policy.clock.now() - atMs;
}

/**
 * Calls a function of the program, which decides nothing. The next attempt waits for its promise, and its error ends the call.
 *
 * @returns false if it has thrown
 */
export function tell(call: CallStart, told: () => unknown): boolean {
  try {
    const said = told();
    if (!isPromise(said)) return true;
    const before = call.pending;
    const waiting = Promise.resolve(said).then(() => before);
    waiting.catch(() => undefined);
    call.pending = waiting;
    return true;
  } catch (error) {
    call.thrown ??= { error };
    return false;
  }
}

/** Calls a function of the program that decides; `otherwise` if it throws, which ends the call. */
export function askIn<T>(request: RequestTraits | undefined, decide: () => T, otherwise: T): T {
  const call = request && begun.get(request);
  if (call === undefined) return decide();
  try {
    return decide();
  } catch (error) {
    call.thrown ??= { error };
    return otherwise;
  }
}

/** As {@link tell}, in the call of a request if that is remembered. */
export function tellIn(request: RequestTraits, told: () => unknown): unknown {
  const call = begun.get(request);
  return call === undefined ? told() : tell(call, told);
}
