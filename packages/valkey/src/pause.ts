import type { Reply } from './known-state.ts';
import type { StoreCall } from './store-call.ts';

/** The end of one pause differs a little from reply to reply: it is a duration from now. In milliseconds. */
const SAME_PAUSE_MS = 5;

/** The message that the store has yet to get: when the pause ends, or `'end'` if the pause has ended. */
type Unsent = { readonly untilMs: number } | 'end';

/** The pause of the whole fleet, as one process knows it: begun or ended here, or reported by the store. */
export class FleetPause {
  /** When the bucket serves again. */
  untilMs: number = Number.NEGATIVE_INFINITY;
  /** Replies before this one say nothing new about the pause; see {@link Reply.orderUs}. */
  #knownAtUs = 0;
  #unsent: Unsent | undefined;
  /** The last call and its message. */
  #sent: { readonly call: StoreCall; readonly what: Unsent } | undefined;

  /** Takes over the pause of a reply: another process may have begun or ended one. */
  observe({ pausedMs, orderUs }: Reply, nowMs: number): void {
    // A reply from before the store received our own pause, or its end, is out of date.
    if (this.#unsent !== undefined || orderUs <= this.#knownAtUs) return;
    const untilMs = nowMs + pausedMs;
    const laterMs = untilMs - this.untilMs;
    const isBegun = pausedMs > 0 && laterMs > SAME_PAUSE_MS;
    const isEnded = this.untilMs > nowMs && laterMs < -SAME_PAUSE_MS;
    if (isBegun || isEnded) this.untilMs = untilMs;
    this.#knownAtUs = orderUs;
  }

  /** Pauses the fleet. Never shortens a pause. */
  begin(untilMs: number): void {
    if (untilMs <= this.untilMs) return;
    this.untilMs = untilMs;
    this.#unsent = { untilMs };
  }

  /** Ends the pause of the fleet. Other processes see that with their next call. */
  end(nowMs: number): void {
    if (nowMs >= this.untilMs) return;
    // If the pause was never sent, its end need not be either.
    this.#unsent = this.#unsent === undefined ? 'end' : undefined;
    this.untilMs = nowMs;
  }

  /**
   * The call to make now, if any.
   *
   * @param isReached whether the store ever replied. A pause is sent as a duration: sent before there is a connection it
   * would begin, and end, too late, so the state is read first
   */
  next(isReached: boolean, nowMs: number): StoreCall | undefined {
    const what = this.#unsent;
    if (what === undefined) return undefined;
    if (!isReached) return { mode: 'peek' };
    this.#unsent = undefined;
    if (what !== 'end' && what.untilMs <= nowMs) return undefined;
    const call: StoreCall =
      what === 'end' ? { mode: 'unpause' } : { mode: 'pause', durationMs: what.untilMs - nowMs };
    this.#knownAtUs = Number.POSITIVE_INFINITY;
    this.#sent = { call, what };
    return call;
  }

  /**
   * A call of {@link next} has ended. If it failed it is sent again, unless a later one was sent meanwhile.
   *
   * @param mayRepeat false after the end
   */
  answered(call: StoreCall, reply: Reply | undefined, mayRepeat: boolean): void {
    this.#knownAtUs = reply?.orderUs ?? 0;
    if (this.#sent?.call !== call) return;
    if (reply === undefined && mayRepeat) this.#unsent ??= this.#sent.what;
    this.#sent = undefined;
  }

  /** True while something is being sent, or has to be. */
  get busy(): boolean {
    return this.#unsent !== undefined || this.#sent !== undefined;
  }
}
