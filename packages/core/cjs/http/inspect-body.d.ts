import type { BodyInspector, Inspect } from './inspect.ts';
/** Options of {@link inspectBody}. */
export interface InspectBodyOptions {
    /**
     * The most of a body that is looked at, in bytes.
     * @default 65_536
     */
    readonly maxBytes?: number | undefined;
    /**
     * The longest wait for the part of a body that is asked for, in milliseconds. The response is then judged by what has
     * arrived. A judgement that takes twice as long counts as none.
     * @default 1_000
     */
    readonly timeoutMs?: number | undefined;
}
/**
 * Judges responses by their body: an error in a 200, the reason of a 429, the first event of a stream. For the policy's
 * `inspect`. A function apart, so that programs without it do not carry its code.
 *
 * The caller gets the same bytes, and a stream goes on streaming after the look. A body that breaks during the look, before
 * the caller has seen any of it, is `transient`.
 *
 * @param inspect called with every response that is not left to another layer
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, inspectBody } from '@ebb/core';
 *
 * const inspect = inspectBody(async (response) => {
 *   if (response.status !== 200) return undefined;
 *   const body = (await response.json()) as { error?: string } | undefined;
 *   return body?.error === 'busy' ? { verdict: 'refused', waitMs: 2_000 } : undefined;
 * });
 * const policy = createPolicy({ inspect });
 * ```
 */
export declare function inspectBody(inspect: Inspect, options?: InspectBodyOptions): BodyInspector;
//# sourceMappingURL=inspect-body.d.ts.map