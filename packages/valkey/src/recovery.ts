import type { LocalShare } from './local-share.ts';
import type { Answer } from './step.ts';
import type { Amounts } from './store-call.ts';

/** A slow store has to reply in time for so long before it counts as back, in milliseconds. */
export const CALM_MS = 6_000;

/** Without any reply for so long a store counts as silent again, in milliseconds. */
const SILENT_MS = 2_000;

type SpentShares = readonly Pick<LocalShare, 'spent'>[];

/**
 * Decides when a silent store is back. If the round trip varies around `timeoutMs`, the first reply in time would end the outage, and the
 * next call would start another. A store with late replies is therefore not back yet: the process goes on with its local share, and charges
 * the spent tokens to the store, because other processes may share the bucket already.
 */
export class Recovery {
  /** Whether spent tokens are charged to the store. */
  isCharging = false;
  /** Whether the last reply has shown that the store is back. */
  isBack = false;
  readonly #wasSilent: boolean;
  readonly #quickMs: number;
  #inTimeSinceMs = Number.POSITIVE_INFINITY;
  /** When the last reply came. */
  #repliedAtMs = Number.NEGATIVE_INFINITY;
  #charged: Amounts = [];

  /**
   * @param timeoutMs how long the silent store could have replied; `undefined` if it was not silent: any reply is enough then
   * @param sinceBackMs how long ago the outage before ended. If just now, a quick reply proves nothing
   */
  constructor(timeoutMs: number | undefined, sinceBackMs: number) {
    this.#wasSilent = timeoutMs !== undefined;
    if (timeoutMs === undefined) this.#quickMs = Number.POSITIVE_INFINITY;
    else this.#quickMs = sinceBackMs < CALM_MS ? 0 : timeoutMs / 2;
  }

  /** An attempt has ended, or a call that was given up got its reply. */
  answered({ call, sentAtMs, reply, state }: Answer, local: SpentShares, nowMs: number): void {
    if (reply === undefined || reply.tooLate || state === 'late')
      this.#inTimeSinceMs = Number.POSITIVE_INFINITY;
    if (reply === undefined) {
      // Without any reply the others do not share the bucket either.
      if (nowMs - this.#repliedAtMs > SILENT_MS) this.isCharging = false;
      return;
    }
    this.#repliedAtMs = nowMs;
    if (reply.tooLate) {
      if (call.mode === 'spend')
        this.#charged = this.#charged.map((sum, unit) => sum - (call.amounts[unit] as number));
    } else if (state === 'late') {
      // Before the bucket serves anyone again, local shares are all that is spent.
      if (!this.isCharging && this.#wasSilent && reply.resumedUs <= reply.atUs) this.charge(local);
    } else {
      this.#inTimeSinceMs = Math.min(this.#inTimeSinceMs, nowMs);
      this.isBack = nowMs - sentAtMs <= this.#quickMs || nowMs - this.#inTimeSinceMs >= CALM_MS;
    }
  }

  /**
   * Returns the amounts spent since the last charge; 0 the first time. A charge without a reply is not repeated: the charge came late, most
   * likely.
   */
  charge(local: SpentShares): Amounts {
    const spent = local.map((share) => Math.ceil(share.spent));
    const before = this.isCharging ? this.#charged : spent;
    this.isCharging = true;
    this.#charged = spent;
    return spent.map((amount, unit) => amount - (before[unit] as number));
  }
}
