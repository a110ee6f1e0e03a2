import { prose, proseOf } from '#prose';
import { type Check, flag, nameOf, wrongType } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { must } from '../base/options.ts';
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

export const checkTrusted: Check = (name, value) => {
  if (typeof value === 'function') return;
  must(name, prose("a list such as ['https://api.example.com'], or a function"), value, Array.isArray(value));
  for (const [index, one] of value.entries()) {
    const text = String(one);
    // It is compared with scheme, host and port as `URL` has them.
    const fits = /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
    const takes = prose("an origin such as 'https://api.example.com'");
    must(`${name}[${index}]`, takes, one, typeof one === 'string', fits);
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
    : trustedOrigins.includes(URL.parse(request.url)?.origin ?? '');
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
