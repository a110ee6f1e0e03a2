import { LONGEST_LIST, shortHeader } from '../../http/headers.ts';
import type { ResponseOutcome } from '../../http/outcome.ts';
import { itemsOf, wholeOf } from '../../http/quota-fields.ts';

/** A report of one quota in a response. */
export interface SaidQuota {
  readonly policy: string;
  /** The partition key, as it is written. */
  readonly key: string;
  /** The rest of it, in its unit; `undefined` if the response does not say. */
  readonly left: number | undefined;
  /** Until more is there, in milliseconds. */
  readonly resetMs: number;
  /** The quota of a window; `undefined` if the response does not say. */
  readonly quota: number | undefined;
  /** Its unit: `requests` by default. */
  readonly unit: string;
}

/** The unit of a limit of requests at the same time. */
export const CONCURRENT = 'concurrent-requests';

const textOf = (text: string): string => text.replace(/^"|"$/g, '');

/**
 * The quotas that a response reports. Not read: malformed fields, those of other drafts, of a redirect or its target, and of a cached
 * response. Without `RateLimit` the policies count.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10, "RateLimit-Policy Field", "RateLimit Field", "Caching".
 */
export function quotasSaid(outcome: ResponseOutcome): readonly SaidQuota[] {
  const header = (name: string): string => shortHeader(outcome, name, LONGEST_LIST)?.trim() ?? '';
  if (outcome.redirected || Math.floor(outcome.status / 100) === 3 || Number(header('age')) > 0) return [];
  const policies = itemsOf(header('ratelimit-policy'));
  const limits = itemsOf(header('ratelimit'));
  return (limits.length > 0 ? limits : policies).flatMap(([policy, { pk: key = '', r, t }]) => {
    // A policy may be named without the key.
    const own = policies.find(([name, { pk = key }]) => name === policy && pk === key)?.[1];
    const [left, quota, seconds] = [wholeOf(r), wholeOf(own?.q), wholeOf(t ?? own?.w ?? '1')];
    const unit = textOf(own?.qu ?? 'requests');
    // A limit of concurrent requests needs no window.
    const isLimit = own?.w !== undefined || unit === CONCURRENT;
    if (seconds === undefined || (left ?? (isLimit ? quota : undefined)) === undefined) return [];
    return [{ policy: textOf(policy), key, left, resetMs: 1_000 * seconds, quota, unit }];
  });
}
