import type { HedgeRecord } from '@ebb/core';
import { LAYER } from '@ebb/core/adapter';

/** @param result a response or an error; anything else, and a frozen one, has no history */
export function noteHedges(result: unknown, hedges: readonly HedgeRecord[]): void {
  if (hedges.length === 0) return;
  try {
    // Not enumerable: copies, logs and JSON leave it out.
    Reflect.defineProperty(Object(result), LAYER, { value: { hedges } });
  } catch {
    // A `Proxy` may do anything.
  }
}
