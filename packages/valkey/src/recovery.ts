import type { LocalShare } from './local-share.ts';
import type { Amounts } from './store-call.ts';

/** A slow store has to reply in time for so long before it counts as back, in milliseconds. */
const CALM_MS = 6_000;

/**
 * How a store that was silent comes back. If its round trip varies around `timeoutMs`, the first reply in time would end the
 * outage, and the call after it start the next. So a store that replies late in that time is not back yet: the process goes
 * on with its local share, and charges what it spends, since others may share the bucket already.
 */
export class Recovery {
  /** Whether what is spent is charged to the store. */
  isCharging = false;
  /** Whether the last reply has shown that the store is back. */
  isBack = false;
  readonly #quickMs: number;
  #inTimeSinceMs = Number.POSITIVE_INFINITY;
  /** Whether the last attempt got no reply in time. */
  #hasMissed = false;
  #charged: Amounts = [];

  /**
   * @param timeoutMs how long the silent store could have replied; `undefined` if it was not silent: any reply is enough then
   * @param sinceBackMs how long ago the outage before ended. If just now, a quick reply proves nothing
   */
  constructor(timeoutMs: number | undefined, sinceBackMs: number) {
    if (timeoutMs === undefined) this.#quickMs = Number.POSITIVE_INFINITY;
    else this.#quickMs = sinceBackMs < CALM_MS ? 0 : timeoutMs / 2;
  }

  /** An attempt got a reply in time. */
  replied(sentAtMs: number, nowMs: number): void {
    this.#hasMissed = false;
    this.#inTimeSinceMs = Math.min(this.#inTimeSinceMs, nowMs);
    this.isBack = nowMs - sentAtMs <= this.#quickMs || nowMs - this.#inTimeSinceMs >= CALM_MS;
  }

  /** An attempt got no reply in time. The second in a row ends the charges: the others do not share the bucket any more either. */
  missed(): void {
    this.#inTimeSinceMs = Number.POSITIVE_INFINITY;
    if (this.#hasMissed) this.isCharging = false;
    this.#hasMissed = true;
  }

  /** What was spent since the last charge; 0 the first time. A charge without a reply is not repeated: it came late, most likely. */
  charge(local: readonly Pick<LocalShare, 'spent'>[]): Amounts {
    const spent = local.map((share) => Math.ceil(share.spent));
    const before = this.isCharging ? this.#charged : spent;
    this.isCharging = true;
    this.#charged = spent;
    return spent.map((amount, unit) => amount - (before[unit] as number));
  }
}
