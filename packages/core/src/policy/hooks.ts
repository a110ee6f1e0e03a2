import { devText, devTextOf, inDevelopment } from '#dev-text';
import { type Check, flag, nameOf, wrongType } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { must } from '../base/options.ts';
import type { Outcome, RequestTraits } from '../http/outcome.ts';

/**
 * The value of a header; `undefined` removes it. A function is called at the send, after every wait: for a value that must be
 * fresh, such as a signature, or a deadline. It must return at once.
 */
export type HeaderValue = string | undefined | (() => string | undefined);

/** Headers to set, by name. Other headers stay. */
export type HeaderChanges = Readonly<Record<string, HeaderValue>>;

/** The headers that an attempt changes; `undefined` removes one. */
export type SentHeaders = Readonly<Record<string, string | undefined>>;

/**
 * The result of {@link BeforeAttempt}: an object, `Headers`, or a list of pairs, and no other iterable. A name that is repeated
 * in pairs has both values, joined by a comma.
 */
export type HeaderChangesInit =
  | HeaderChanges
  | readonly (readonly [name: string, value: HeaderValue])[]
  | HeaderList;

/** The part of `Headers` that is used: a program may lack the type. */
export interface HeaderList extends Iterable<[name: string, value: string]> {
  append(name: string, value: string): void;
}

/** The idempotency key of a request. */
export interface KeptKey {
  readonly value: string;
  /** True if ebb has made it, false if the caller has set it. */
  readonly isOurs: boolean;
  /** False once an attempt did not carry it, or carried another one. */
  isKept: boolean;
}

/** An attempt that is about to be sent. */
export interface NextAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
  /** The outcome that the attempt follows; `undefined` for the first. */
  readonly previous: Outcome | undefined;
  /**
   * The time until the total timeout, in milliseconds, for a server that takes a deadline; `undefined` if the policy has no
   * total timeout.
   */
  readonly leftMs: number | undefined;
}

/**
 * Called before each attempt, after its delay, while it holds no slot and no tokens. It returns headers to change in this
 * attempt: each attempt starts with the caller's headers again.
 *
 * If it removes or changes the idempotency key of a request, the request no longer counts as one that may be repeated.
 */
export type BeforeAttempt = (
  next: NextAttempt,
) => HeaderChangesInit | undefined | Promise<HeaderChangesInit | undefined>;

/** An attempt that is being sent. */
export interface CurrentAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly request: RequestTraits;
}

/**
 * Called with each attempt as it is sent, to send it in an async context. It must call `send` once, before it returns, and return
 * the result of `send`.
 */
export type WrapAttempt = <T>(send: () => T, current: CurrentAttempt) => T;

/** The origins that may get the headers of hooks, such as `https://api.example.com`, or a function of the request. */
export type TrustedOrigins = readonly string[] | ((request: RequestTraits) => boolean);

/** The options of a policy about headers that may be credentials. */
interface TrustOptions {
  readonly beforeAttempt?: unknown;
  readonly plugins?: readonly { readonly name: string; readonly beforeAttempt?: unknown }[] | undefined;
  readonly trustedOrigins?: TrustedOrigins | undefined;
}

export const checkTrusted: Check = (name, value) => {
  if (typeof value === 'function') return;
  inDevelopment(() =>
    must(name, "a list such as ['https://api.example.com'], or a function", value, Array.isArray(value)),
  );
  for (const [index, one] of (value as readonly unknown[]).entries()) {
    const text = String(one);
    // It is compared with scheme, host and port as `URL` has them.
    const fits = /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
    const takes = devText("an origin such as 'https://api.example.com'");
    must(`${name}[${index}]`, takes, one, typeof one === 'string', fits);
  }
};

/**
 * True if a request may get the headers of hooks. Without `trustedOrigins` every request may: its caller has named its origin.
 *
 * @throws HookError if the function of the policy fails
 */
export function isTrusted({ trustedOrigins }: TrustOptions, request: RequestTraits): boolean {
  if (!trustedOrigins) return true;
  return typeof trustedOrigins === 'function'
    ? callHook('trustedOrigins', () => trustedOrigins(request), flag)
    : trustedOrigins.includes(URL.parse(request.url)?.origin ?? '');
}

/** The name of the option or plugin that adds possible credentials; `undefined` for none. */
function giverOf({ beforeAttempt: own, plugins = [] }: TrustOptions): string | undefined {
  return own ? 'beforeAttempt' : plugins.find(({ beforeAttempt }) => beforeAttempt)?.name;
}

/** True if a policy adds headers that may be credentials. */
export function addsCredentials(policy: TrustOptions): boolean {
  return giverOf(policy) !== undefined;
}

/**
 * For a client whose requests may go to another origin than its caller has named.
 *
 * @throws TypeError if a policy adds headers that may be credentials, and does not say for whom
 */
export function mustTrust(caller: string, policy: TrustOptions): void {
  const giver = giverOf(policy);
  if (giver === undefined || policy.trustedOrigins !== undefined) return;
  const line = devTextOf(() => `set beside ${giver}, such as trustedOrigins: ['https://api.example.com']`);
  throw wrongType(nameOf(caller, 'trustedOrigins'), line, undefined);
}
