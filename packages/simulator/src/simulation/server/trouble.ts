import { type ServiceHealth, serviceHealthAt } from '@ebb/testing/faults';
import type { Trouble } from '../../scenario/server-options.ts';
import { REFUSED, UNAVAILABLE } from '../outcomes.ts';

/** The outcome of a request that gets no answer. */
export const SILENCE = -1;

const OUTCOME_OF = { refused: REFUSED, unavailable: UNAVAILABLE, silence: SILENCE } as const;

/** The state of a server. */
export interface Health extends Omit<ServiceHealth, 'outage'> {
  /** The outcome of every request during an outage; `undefined` without one. */
  readonly outage: number | undefined;
}

/** The state of a server at a time, under all its troubles. */
export function healthAt(troubles: readonly Trouble[], nowMs: number): Health {
  const { capacityShare, errorShare, outage } = serviceHealthAt(troubles, nowMs);
  return { capacityShare, errorShare, outage: outage && OUTCOME_OF[outage] };
}
