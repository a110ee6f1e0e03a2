import type { Responded } from './outcome.ts';
import { retryAfterMs } from './retry-after.ts';

const MILLISECONDS = /^\d+(\.\d+)?$/;

/** The longest of several lines, which clients join with commas; `undefined` if none is a number. */
function longest(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const lines = text.split(',').map((line) => line.trim());
  const numbers = lines.filter((line) => MILLISECONDS.test(line)).map(Number);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/**
 * The wait that a response asks for, in milliseconds: the longest of `Retry-After` and the fields in milliseconds of some
 * providers. A `Retry-After` of up to a second more is the rounding of such a field, which then counts alone.
 *
 * Source: RFC 9110 §10.2.3; the SDKs of OpenAI (`retry-after-ms`), Azure (`x-ms-retry-after-ms`) and AWS
 * (`x-amz-retry-after`).
 */
export function askedWaitMs(
  response: Responded,
  nowMs: number,
  inMilliseconds: readonly string[],
): number | undefined {
  const roundMs = retryAfterMs(response, nowMs);
  let preciseMs: number | undefined;
  for (const name of inMilliseconds) {
    const askedMs = longest(response.header(name));
    if (askedMs !== undefined) preciseMs = Math.max(askedMs, preciseMs ?? 0);
  }
  if (preciseMs === undefined || roundMs === undefined) return preciseMs ?? roundMs;
  return roundMs - preciseMs < 1_000 ? preciseMs : roundMs;
}
