import type { Trouble } from './scenario.ts';

/** The steps of a slow start. */
const STEPS = 50;

/** The state of a service. */
export interface ServiceHealth {
  /** The share of its workers that work. */
  readonly capacityShare: number;
  /** The share of its answers that are 503. */
  readonly errorShare: number;
  /** The answer to every request during an outage; `undefined` without an outage. */
  readonly outage: 'refused' | 'unavailable' | 'silence' | undefined;
}

/** The state of a service at a time, under all its troubles. */
export function serviceHealthAt(troubles: readonly Trouble[], nowMs: number): ServiceHealth {
  let capacityShare = 1;
  let rightShare = 1;
  let outage: ServiceHealth['outage'];
  for (const trouble of troubles) {
    const { fromMs, untilMs } = trouble;
    if (nowMs < fromMs || nowMs >= untilMs) continue;
    if (trouble.type === 'outage') outage = trouble.answer ?? 'refused';
    else if (trouble.type === 'errors') rightShare *= 1 - trouble.share;
    else if (trouble.type === 'brown-out') capacityShare *= trouble.capacityShare;
    else {
      const step = Math.floor(((nowMs - fromMs) / (untilMs - fromMs)) * STEPS + 1e-6) / STEPS;
      capacityShare *= trouble.capacityShare + (1 - trouble.capacityShare) * step;
    }
  }
  return { capacityShare, errorShare: 1 - rightShare, outage };
}

/** The times at which {@link serviceHealthAt} changes. */
export function troubleMoments(troubles: readonly Trouble[]): number[] {
  const moments = troubles.flatMap(({ type, fromMs, untilMs }) => {
    const steps = type === 'slow-start' ? STEPS : 1;
    return Array.from({ length: steps + 1 }, (_, step) => fromMs + ((untilMs - fromMs) * step) / steps);
  });
  return [...new Set(moments)].sort((one, other) => one - other);
}
