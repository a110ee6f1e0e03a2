import type { Turn } from './lease.ts';
import { LOSS_REASONS, type LossReason, lossReason } from './loss-reason.ts';

/** Counts what comes of the calls of one process. */
export class StoreCounts {
  /** How long all calls took that have ended or were given up, in milliseconds. */
  callMs = 0;
  readonly #losses: Record<LossReason, number> = Object.fromEntries(
    LOSS_REASONS.map((reason) => [reason, 0]),
  ) as Record<LossReason, number>;
  #recoveries = 0;
  #isLost = false;

  /** A loss is told again if a late reply changes what holds meanwhile. It counts once. */
  count(turn: Turn): void {
    if (turn.type === 'lost' && !this.#isLost) this.#losses[lossReason(turn.error)] += 1;
    if (turn.type === 'back') this.#recoveries += 1;
    if (turn.type !== 'step') this.#isLost = turn.type === 'lost';
  }

  get losses(): Readonly<Record<LossReason, number>> {
    return { ...this.#losses };
  }

  get recoveries(): number {
    return this.#recoveries;
  }
}
