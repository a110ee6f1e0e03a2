import type { EbbEvent } from '@ebb/core';

/** The result of a hedge, as spans and metrics name it. */
export function hedgeResult({ sent, won }: Extract<EbbEvent, { type: 'hedge' }>): string {
  if (!sent) return 'not-sent';
  return won ? 'won' : 'lost';
}
