import type { PolicyOptions } from '@ebb/core';
import { devText, wrongType } from '@ebb/core/internal';
import { type KyRetryOptions, policyOf, readRetry } from './ky-retry.ts';

type Fetch = (input: never, init?: never) => Promise<Response>;

/** The options of ky that ebb takes over. */
interface KyOptions {
  readonly retry?: number | KyRetryOptions | undefined;
  readonly timeout?: number | false | undefined;
  readonly throwHttpErrors?: boolean | ((status: number) => boolean) | undefined;
  readonly fetch?: Fetch | undefined;
  readonly hooks?: { readonly beforeRetry?: readonly unknown[] | undefined } | undefined;
}

type Send = (input: unknown, options?: KyOptions) => unknown;

/** A client of ky, as far as it is used here. */
type Client = Send & {
  extend(options: (own: KyOptions) => KyOptions): unknown;
} & Readonly<Record<PropertyKey, unknown>>;

const SENDS = /^(get|post|put|patch|head|delete|query)$/;
const MAKES = /^(create|extend)$/;

/** The options of a client together with those of a request: ky itself merges them. */
function mergedOptions(client: Client, given: KyOptions): KyOptions {
  let merged: KyOptions = {};
  (client.extend(() => given) as Client).extend((own) => {
    merged = own;
    return {};
  });
  return merged;
}

/** @throws TypeError for an option that ebb cannot follow */
function policyFor({ retry, timeout = 10_000, throwHttpErrors = true, hooks }: KyOptions): PolicyOptions {
  if (hooks?.beforeRetry?.length)
    throw wrongType('ky: hooks.beforeRetry', devText('left out: `beforeAttempt` and `onEvent` tell'), hooks);
  const throwsFor = typeof throwHttpErrors === 'function' ? throwHttpErrors : () => throwHttpErrors;
  return {
    ...policyOf(readRetry(retry), throwsFor),
    ...(timeout !== false && { attemptTimeoutMs: timeout }),
  };
}

/**
 * Returns a client of ky whose requests ebb retries as ky 2.1.0 does, for programs that come from it; also those of clients made of it. The
 * options of clients and requests stay where they are.
 *
 * Differences: hooks run once for all attempts, and there is no `beforeRetry`; each retried status may have a `Retry-After`; a timeout is
 * the `TimeoutError` of ebb.
 *
 * Source: ky 2.1.0.
 * @param make `createFetch` of `@ebb/fetch`, or a function that gives it more options
 * @throws TypeError for an option that ebb cannot follow, such as `shouldRetry`: when a request is sent
 * @example
 * ```ts
 * import { likeKy } from '@ebb/compat';
 * import { createFetch } from '@ebb/fetch';
 * import ky from 'ky';
 *
 * const api = likeKy(ky, createFetch).create({ prefix: 'https://api.example.com', retry: { limit: 3 } });
 * const user = await api.get('me', { timeout: 5_000 }).json();
 * ```
 */
export function likeKy<Ky extends (...args: never[]) => unknown>(
  ky: Ky,
  make: (options: PolicyOptions, fetch?: typeof globalThis.fetch) => unknown,
): Ky {
  return wrap(
    ky as unknown as Client,
    make as (options: PolicyOptions, fetch?: Fetch) => Fetch,
  ) as unknown as Ky;
}

function wrap(client: Client, make: (options: PolicyOptions, fetch?: Fetch) => Fetch): Client {
  const sender =
    (send: Send): Send =>
    (input, options = {}) => {
      const merged = mergedOptions(client, options);
      return send(input, {
        ...options,
        ...{ retry: 0, timeout: false, fetch: make(policyFor(merged), merged.fetch) },
      });
    };
  return new Proxy(client, {
    apply: (target, _, [input, options]: [unknown, KyOptions?]) => sender(target)(input, options),
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || typeof member !== 'function') return member;
      if (SENDS.test(key)) return sender(member as Send);
      const made = (options?: unknown): Client => wrap((member as (given: unknown) => Client)(options), make);
      return MAKES.test(key) ? made : member;
    },
  });
}
