import { prose, proseOf } from '#prose';
import { type Check, flag } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { must, nameOf, wrongType } from '../base/option-error.ts';
import { originOf } from '../http/origin.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { Part } from './part.ts';

/** The origins that may get what hooks return, such as `https://api.example.com`, or a function of the request. */
export type TrustedOrigins = readonly string[] | ((request: RequestTraits) => boolean);

/** What a policy says of headers that may be credentials. */
interface Trusting {
  readonly beforeAttempt?: unknown;
  readonly use?: readonly Part[] | undefined;
  readonly trustedOrigins?: TrustedOrigins | undefined;
}

/** Scheme, host and port as `URL` has them: a text that is compared with another one. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
}

export const checkTrusted: Check = (name, value) => {
  if (typeof value === 'function') return;
  must(name, prose("a list such as ['https://api.example.com'], or a function"), value, Array.isArray(value));
  for (const [index, one] of (value as readonly unknown[]).entries()) {
    const takes = prose("an origin such as 'https://api.example.com'");
    must(`${name}[${index}]`, takes, one, typeof one === 'string', isOrigin(`${one}`));
  }
};

/**
 * True if a request may be given what hooks return. Without the option that is every request: a client asks for the origin that
 * its caller has named.
 *
 * @throws HookError if the function of the policy fails
 */
export function isTrusted({ trustedOrigins }: Trusting, request: RequestTraits): boolean {
  if (trustedOrigins === undefined) return true;
  return typeof trustedOrigins === 'function'
    ? callHook('trustedOrigins', () => trustedOrigins(request), flag)
    : trustedOrigins.includes(originOf(request));
}

/** What adds headers that may be credentials; `undefined` if nothing does. */
function giverOf({ beforeAttempt, use = [] }: Trusting): string | undefined {
  return beforeAttempt ? 'beforeAttempt' : use.find(({ place }) => place === 'headers')?.name;
}

/** True if a policy adds headers that may be credentials. */
export function addsCredentials(policy: Trusting): boolean {
  return giverOf(policy) !== undefined;
}

/**
 * For a client whose requests may go to another origin than its caller has named.
 *
 * @throws TypeError if a policy adds headers that may be credentials, and does not say for whom
 */
export function mustTrust(caller: string, policy: Trusting): void {
  const giver = giverOf(policy);
  if (giver === undefined || policy.trustedOrigins !== undefined) return;
  const line = proseOf(() => `set beside ${giver}, such as trustedOrigins: ['https://api.example.com']`);
  throw wrongType(nameOf(caller, 'trustedOrigins'), line, undefined);
}
