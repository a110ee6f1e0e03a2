import { type PolicyOptions, serverFeedback } from '@ebb/core';
import { isServerError } from '@ebb/core/internal';

import { classifyBy, type PresetOptions, repeatsPosts } from './options.ts';

const classify = classifyBy((status) => status === 408 || status === 409 || isServerError(status));

/**
 * For the API of Cloudflare.
 *
 * - Retried: 408, 409, 429, every 5xx, 520 to 524 of the edge included, broken connections, timeouts.
 * - Final: everything else.
 * - POST again: only after a refusal, because a second one makes a second zone. `repeatPosts: true` repeats every request, as
 *   the SDK does.
 * - Waits and quotas: `Retry-After`; `Ratelimit`, which comes with every response. `x-should-retry` outranks the status.
 *
 * No body is read.
 *
 * Source: cloudflare 7.3.0 (`shouldRetry`); Cloudflare, "Rate limits" of the API.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { cloudflare } from '@ebb/providers';
 *
 * const policy = createPolicy({ ...cloudflare(), maxRetries: 2 });
 * ```
 */
export function cloudflare(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    methods: repeatsPosts('cloudflare', options, false) ? 'all' : 'idempotent',
  };
}
