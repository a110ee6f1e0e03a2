import { devText, devTextOf, inDevelopment } from '#dev-text';
import { type Check, flag, nameOf, wrongType } from '../base/check.ts';
import { callHook } from '../base/errors.ts';
import { must } from '../base/options.ts';
import type { RequestTraits } from '../http/outcome.ts';

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
