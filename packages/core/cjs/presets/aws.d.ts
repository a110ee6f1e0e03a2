import type { PolicyOptions } from '../policy/options.ts';
import { type PresetOptions } from './preset-options.ts';
/**
 * For the HTTP APIs of AWS, and services that speak like them.
 *
 * - Retried: by its code, whatever the status: 14 codes of throttling, such as `ThrottlingException` and `SlowDown`, as a
 *   refusal; `RequestTimeout` and its kin as transient. By its status: 429 as a refusal; 500, 502, 503, 504. And broken
 *   connections and timeouts. The code is in the header `x-amzn-errortype`, in JSON below `__type` or `code`, or in the
 *   `<Code>` of XML. In S3 a copy, and the completion of an upload, may fail in a 200: its body is read as well.
 * - Final: everything else, such as 408, 409 and 529, and the codes of a wrong clock, which need a new signature.
 * - POST again: only after a refusal. `repeatPosts: true` repeats every request, as the SDK does.
 * - Waits and quotas: `x-amz-retry-after` (milliseconds), `Retry-After`. AWS reports no quota in headers.
 *
 * A signature is valid for minutes: sign each attempt with `beforeAttempt`, or keep `maxRetryAfterMs` short. If S3 takes
 * longer for a copy than a second, its error in the 200 is not seen.
 *
 * Source: @smithy/core 3.41.0 (`service-error-classification`, `parseRetryAfterHeader`); @aws-sdk/client-s3 3.1169.0
 * (`throw200ExceptionsMiddleware`); Amazon S3, "Best practices for error handling".
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 * @example
 * ```ts
 * import { createPolicy, fullJitter } from '@ebb/core';
 * import { aws } from '@ebb/core/presets';
 *
 * const policy = createPolicy({ ...aws(), backoff: fullJitter({ baseMs: 50, capMs: 20_000 }) });
 * ```
 */
export declare function aws(options?: PresetOptions): PolicyOptions;
//# sourceMappingURL=aws.d.ts.map