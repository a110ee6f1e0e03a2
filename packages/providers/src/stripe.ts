import { type Classify, type PolicyOptions, serverFeedback } from '@ebb/core';
import { isServerError } from '@ebb/core/internal';

import { classifyBy, type PresetOptions, repeatsPosts } from './options.ts';

const byStatus = classifyBy((status) => status === 409 || isServerError(status));

/** An answer that is replayed is saved under its key: the same key brings the same answer. */
const classify: Classify = (outcome, request, attempt) => {
  const isError = outcome.type === 'response' && isServerError(outcome.status);
  return isError && outcome.header('idempotent-replayed') === 'true'
    ? 'final'
    : byStatus(outcome, request, attempt);
};

/**
 * For the API of Stripe.
 *
 * - Retried: 409, 429, every 5xx, broken connections, timeouts. A 429 as a refusal, whether of the rate, of too many requests
 *   at once, or of a lock; the SDK leaves it to the caller.
 * - Final: everything else; a 5xx that is replayed from its idempotency key; and whatever has `stripe-should-retry: false`.
 * - POST again: with an `Idempotency-Key` only, or after a refusal. The SDK sends a key with each POST; without it,
 *   `idempotencyKey: true` makes one. `repeatPosts: true` repeats a POST without a key as well: it may charge twice.
 * - Waits and quotas: none; Stripe reports neither. `stripe-should-retry` outranks the status. An adaptive bucket lowers its
 *   rate for a `stripe-rate-limited-reason` of a rate, not of concurrency.
 *
 * No body is read.
 *
 * Source: stripe 23.1.0 (`RequestSender._shouldRetry`); Stripe, "Rate limits", "Idempotent requests", "Error codes".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { stripe } from '@ebb/providers';
 *
 * const policy = createPolicy({ ...stripe(), idempotencyKey: true });
 * ```
 */
export function stripe(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    methods: repeatsPosts('stripe', options, false) ? 'all' : 'idempotent',
  };
}
