import { type PolicyOptions, serverFeedback } from '@ebb/core';
import { isServerError } from '@ebb/core/internal';

import { classifyBy, type PresetOptions, refusingBusy, repeatsPosts } from './options.ts';

/** "503 ServiceUnavailable: retry after waiting for the time specified in the Retry-After header" (learn.microsoft.com). */
const classify = refusingBusy(
  classifyBy((status) => status === 408 || (isServerError(status) && status !== 501 && status !== 505)),
);

/**
 * For Azure: Resource Manager, Cosmos DB, Azure OpenAI and others.
 *
 * - Retried: 408, 429, every 5xx but 501 and 505, broken connections, timeouts. A 429 without a wait as well, which the SDK
 *   does not retry. A 503 that says when to come back is a refusal, as in the SDK, which throttles then.
 * - Final: everything else. A 202 with `Retry-After` is a success: polling is up to the caller.
 * - POST again: only after a refusal. `repeatPosts: true` repeats every request, as the SDK does.
 * - Waits and quotas: `retry-after-ms`, `x-ms-retry-after-ms`, `Retry-After`; of Azure OpenAI also
 *   `x-ratelimit-remaining-requests` and `-tokens`, of which -1 means that it is not told. The counters of Resource Manager
 *   (`x-ms-ratelimit-remaining-*`) are not read.
 *
 * No body is read.
 *
 * Source: @azure/core-rest-pipeline 1.25.0 and @typespec/ts-http-runtime 0.3.10 (`throttlingRetryStrategy`,
 * `exponentialRetryStrategy`), and its changelog of 2021-06-30 on 503 with `Retry-After`; Microsoft, `ErrorResponse` of
 * Resource Manager, read 2026-11-22; "Understand how Azure Resource Manager throttles requests", and the pages on rates
 * of Cosmos DB and Azure OpenAI.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { azure } from '@ebb/providers';
 *
 * const policy = createPolicy({ ...azure(), maxRetries: 3 });
 * ```
 */
export function azure(options: PresetOptions = {}): PolicyOptions {
  return {
    classify,
    feedback: serverFeedback,
    methods: repeatsPosts('azure', options, false) ? 'all' : 'idempotent',
  };
}
