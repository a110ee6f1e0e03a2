import type { SteadyTime } from '@ebb/core/bucket';
import type { FleetSetup } from './options.ts';
import { isPermanent } from './store-error.ts';

/** Default of `connectTimeoutMs`. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Times are sums of fractions: a rest below this may be too short for the clock to measure. In milliseconds. */
const SHORTEST_MS = 1e-3;

/** How long requests wait for the first connection to the store. */
export class ConnectWait {
  readonly #setup: FleetSetup;
  readonly #time: SteadyTime;
  readonly #deadlineMs: () => number;
  #startedAtMs: number | undefined;

  /** `deadlineMs` returns when the first request in the queue gives up; `Infinity` if never, or if none waits. */
  constructor(setup: FleetSetup, time: SteadyTime, deadlineMs: () => number) {
    this.#setup = setup;
    this.#time = time;
    this.#deadlineMs = deadlineMs;
  }

  /** Starts the wait with the first call to the store. */
  start(nowMs: number): void {
    this.#startedAtMs ??= nowMs;
  }

  /** Milliseconds left; 0 if requests can go without the store, or if `error` is permanent. */
  leftMs(error: unknown): number {
    const { onStoreError, localShare, connectTimeoutMs } = this.#setup;
    const needsStore = onStoreError === 'closed' || (onStoreError === 'local' && localShare === undefined);
    if (!needsStore || isPermanent(error)) return 0;
    const untilMs = (this.#startedAtMs ?? 0) + (connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    const deadlineMs = connectTimeoutMs === undefined ? this.#deadlineMs() : Number.POSITIVE_INFINITY;
    const endMs = deadlineMs === Number.POSITIVE_INFINITY ? untilMs : Math.max(untilMs, deadlineMs);
    const leftMs = endMs - this.#time.now();
    return leftMs < SHORTEST_MS ? 0 : leftMs;
  }
}
