import type { Reply, StoreCall } from './store-call.ts';

/** The end of one pause differs a little from reply to reply: it is a duration from now. In milliseconds. */
const SAME_PAUSE_MS = 5;

interface Hooks {
  readonly call: (call: StoreCall) => Promise<Reply>;
  /** Whether a pause can be sent now. `'unknown'`: the store was never reached, so a `peek` has to succeed first. */
  readonly readiness: () => 'connected' | 'unknown' | 'unavailable';
  readonly onBegin: (untilMs: number) => void;
  /** The pause ended, or will, so many milliseconds earlier than known. */
  readonly onEnd: (earlierMs: number) => void;
}

/** The pause of the whole fleet, as one process knows it: begun or ended here, or reported by the store. */
export class FleetPause {
  readonly #hooks: Hooks;
  /** When the bucket serves again. */
  untilMs: number = Number.NEGATIVE_INFINITY;
  /** Replies before this moment, on the server's clock in microseconds, say nothing new about the pause. */
  #knownAtUs = 0;
  /** What has yet to be sent to the store: a pause, or the end of one. */
  #unsent: { readonly untilMs: number } | 'end' | undefined;
  #sending: Promise<unknown> | undefined;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /** Takes over the pause of a reply: another process may have begun or ended one. */
  observe({ pausedMs, atUs }: Reply, nowMs: number): void {
    // A reply from before the store received our own pause, or its end, is out of date.
    if (this.#unsent === undefined && atUs > this.#knownAtUs) {
      const untilMs = nowMs + pausedMs;
      const laterMs = untilMs - this.untilMs;
      if (pausedMs > 0 && laterMs > SAME_PAUSE_MS) this.#begin(untilMs);
      else if (this.untilMs > nowMs && laterMs < -SAME_PAUSE_MS) this.#end(untilMs);
      this.#knownAtUs = atUs;
    }
    this.sync(nowMs);
  }

  /** Pauses the fleet. Never shortens a pause. */
  begin(untilMs: number, nowMs: number): void {
    if (untilMs <= this.untilMs) return;
    this.#begin(untilMs);
    this.#unsent = { untilMs };
    this.sync(nowMs);
  }

  /** Ends the pause of the fleet. Other processes see that with their next call. */
  end(nowMs: number): void {
    if (nowMs >= this.untilMs) return;
    // If the pause was never sent, its end need not be either.
    this.#unsent = this.#unsent === undefined ? 'end' : undefined;
    this.sync(nowMs);
    this.#end(nowMs);
  }

  #begin(untilMs: number): void {
    this.untilMs = untilMs;
    this.#hooks.onBegin(untilMs);
  }

  #end(untilMs: number): void {
    const earlierMs = this.untilMs - untilMs;
    this.untilMs = untilMs;
    this.#hooks.onEnd(earlierMs);
  }

  /** Sends what the store has not received, if it can be called. */
  sync(nowMs: number): void {
    const unsent = this.#unsent;
    const readiness = this.#hooks.readiness();
    if (unsent === undefined || readiness === 'unavailable') return;
    if (readiness === 'unknown') {
      // A pause is sent as a duration. Sent before there is a connection, it would begin, and end, too late.
      this.#sending = this.#hooks.call({ mode: 'peek' }).catch(() => {});
      return;
    }
    this.#unsent = undefined;
    const durationMs = unsent === 'end' ? 0 : unsent.untilMs - nowMs;
    if (unsent !== 'end' && durationMs <= 0) return;
    this.#knownAtUs = Number.POSITIVE_INFINITY;
    const call: StoreCall = unsent === 'end' ? { mode: 'unpause' } : { mode: 'pause', durationMs };
    const sending = this.#hooks.call(call).then(
      ({ atUs }) => {
        this.#knownAtUs = atUs;
      },
      () => {
        this.#knownAtUs = 0;
        // Unless a later one was sent meanwhile, it is sent again.
        if (this.#sending === sending) this.#unsent ??= unsent;
      },
    );
    this.#sending = sending;
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    for (let sending: unknown; sending !== this.#sending; ) {
      sending = this.#sending;
      await sending;
    }
  }
}
