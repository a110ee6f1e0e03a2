import { prose } from '#prose';
import { callable, countingNumber, positive, wrongType } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import type { CostReader } from '../../loop/contracts.ts';
import { CostPart } from './part.ts';
import type { SaysCosts } from './said.ts';

/** Options of {@link readCost}. */
export interface ReadCostOptions {
  /**
   * What the server says is left of the quota, from headers and bodies. It lowers what the bucket has, and never raises it; for a
   * bucket with `atMost`. Called once for each response. Of an event stream it can read the headers alone. A cached response
   * (`Age`), and one that another has overtaken, are not asked.
   * @default none
   */
  readonly remaining?: SaysCosts | undefined;
  /**
   * The most of a body, or of one event or line of a stream, that is kept, in bytes.
   * @default 65_536
   */
  readonly maxBytes?: number | undefined;
  /**
   * How long `actual` may take after the end of a body, in milliseconds. After that the tokens stay as they were taken.
   * @default 1_000
   */
  readonly timeoutMs?: number | undefined;
}

const OPTIONS: OptionTable<ReadCostOptions, 'remaining'> = {
  remaining: { check: callable },
  maxBytes: { check: countingNumber, default: 65_536 },
  timeoutMs: { check: positive, default: 1_000 },
};

/**
 * Reads from responses what their requests have cost, and settles their tokens with it. For the policy's `actualCost`. A function
 * apart, so that programs without it do not carry its code.
 *
 * `actual` is called with each response, refusals too, and has its body as that passes on its way to the caller: no response is
 * held back, and `text()` and `json()` resolve when the body has been read. Of a stream of events (those of AWS too), or of lines of JSON, it is called
 * with each event or line: `json()`, `text()` and `firstEvent()` then give that one, and the last answer counts for each unit. The
 * caller gets the same bytes; no more than one event is kept.
 *
 * The tokens are settled as soon as `actual` has answered, or with the end of the body: ended, failed, cancelled or collected. A unit
 * that nothing is known of stays as it was taken. What fails here is reported once and never takes an answer away.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, readCost, tokenBucket } from '@ebb/core';
 *
 * interface Answer {
 *   readonly usage?: { readonly total_tokens: number } | null;
 * }
 *
 * const actualCost = readCost(async (response) => {
 *   if (response.status === 429) return 0;
 *   return ((await response.json()) as Answer | undefined)?.usage?.total_tokens;
 * });
 * // 40,000 tokens a minute. Each request takes 4,000, and gives back what it has not used.
 * const bucket = tokenBucket({ refillPerSecond: 40_000 / 60, capacity: 40_000 });
 * const policy = createPolicy({ bucket, cost: 4_000, actualCost });
 * ```
 */
export function readCost(actual: SaysCosts, options: ReadCostOptions = {}): CostReader {
  if (typeof actual !== 'function') throw wrongType('readCost: actual', prose('a function'), actual);
  return { part: new CostPart({ actual, ...readOptions('readCost', options, OPTIONS) }) };
}
