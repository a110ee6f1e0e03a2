import type { Reply, StoreCall } from './store.ts';

/** The store tells of the same pause again and again, each time with a slightly different end. */
const SAME_PAUSE_MS = 5;

interface Hooks {
  readonly call: (call: StoreCall) => Promise<Reply>;
  /** Whether the store can be told now. `'first'`: it was never reached, so it has to be asked for anything first. */
  readonly readiness: () => 'connected' | 'unknown' | 'unavailable';
  readonly onBegin: (untilMs: number) => void;
  readonly onEnd: (earlierMs: number) => void;
}

/** The pause of the whole fleet, as one process knows it. */
export class FleetPause {
  readonly #hooks: Hooks;
  /** When the bucket serves again. */
  untilMs: number = Number.NEGATIVE_INFINITY;
  /** From when on, by the store's clock in microseconds, what it says of the pause is newer than ours. */
  #knownAtUs = 0;
  /** What the store is still to be told: of a pause, or of its end. */
  #unsent: { readonly untilMs: number } | 'end' | undefined;
  #sending: Promise<unknown> | undefined;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /** Takes in what the store says: another process may have begun a pause, or ended it. */
  observe({ pausedMs, atUs }: Reply, nowMs: number): void {
    // What the store said before it heard of our own pause, or of its end, is out of date.
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

  /** Ends the pause of the fleet. The others hear of it when they ask next. */
  end(nowMs: number): void {
    if (nowMs >= this.untilMs) return;
    // The store need not hear of the end of what it has not heard of.
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

  /** Tells the store what it has not heard of, if that can be. */
  sync(nowMs: number): void {
    const unsent = this.#unsent;
    const readiness = this.#hooks.readiness();
    if (unsent === undefined || readiness === 'unavailable') return;
    if (readiness === 'unknown') {
      // While there is no connection, the store would hear of a pause late, and end it as much later.
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
        // What was said after it is what holds.
        if (this.#sending === sending) this.#unsent ??= unsent;
      },
    );
    this.#sending = sending;
  }

  /** Resolves when the store was told, or cannot be. */
  async told(): Promise<void> {
    for (let sending: unknown; sending !== this.#sending; ) {
      sending = this.#sending;
      await sending;
    }
  }
}
