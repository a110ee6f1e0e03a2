import type { EbbEvent } from '@ebb/core';

/** What became of a hedge, as spans and metrics call it. */
export function hedgeResult({ sent, won }: Extract<EbbEvent, { type: 'hedge' }>): string {
  if (!sent) return 'not-sent';
  return won ? 'won' : 'lost';
}
