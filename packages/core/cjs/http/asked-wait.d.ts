import type { Responded } from './outcome.ts';
/**
 * The wait that a response asks for, in milliseconds: the longest of `Retry-After` and the fields in milliseconds of some
 * providers. A `Retry-After` of up to a second more is the rounding of such a field, which then counts alone.
 *
 * Source: RFC 9110 §10.2.3; the SDKs of OpenAI (`retry-after-ms`), Azure (`x-ms-retry-after-ms`) and AWS
 * (`x-amz-retry-after`).
 */
export declare function askedWaitMs(response: Responded, nowMs: number): number | undefined;
//# sourceMappingURL=asked-wait.d.ts.map