import type { Complete } from '../../base/options.ts';

/** When an origin is left out, and for how long. */
export interface EjectionOptions {
  /**
   * An origin with so many failures in a row is left out: statuses from 500 on, lost and refused connections, and timeouts.
   * @default 5
   */
  readonly consecutiveFailures?: number | undefined;
  /**
   * How long it is left out, in milliseconds, times the number of times that it was. The number goes down by one with each such time that
   * it is not left out.
   * @default 30_000
   */
  readonly baseEjectionMs?: number | undefined;
  /**
   * The longest time that it is left out, in milliseconds, unless `baseEjectionMs` is longer.
   * @default 300_000
   */
  readonly maxEjectionMs?: number | undefined;
  /**
   * The largest share of the origins that is left out at the same time, from 0 to 1. A single origin may always be left out.
   * @default 1
   */
  readonly maxEjectedShare?: number | undefined;
}

class Origin {
  failures = 0;
  ejections = 0;
  /** Since when it is in, or out. */
  sinceMs: number = Number.NEGATIVE_INFINITY;
  /** When it may be probed; `undefined` while it is in. */
  untilMs: number | undefined;
  isProbed = false;
  /** It has asked for no requests until then. */
  pausedUntilMs = 0;
}

/** An attempt has ended. `failed` is `undefined` if it says nothing about its origin. */
export type EndAttempt = (failed: boolean | undefined, nowMs: number) => void;

/** A server cannot ask for more, in milliseconds: as at a bucket. */
const LONGEST_PAUSE_MS = 600_000;

/** True for an origin that is in, or may be probed, and has not asked for a pause. */
function isUsable({ untilMs, isProbed, pausedUntilMs }: Origin, nowMs: number): boolean {
  return nowMs >= pausedUntilMs && (untilMs === undefined || (!isProbed && nowMs >= untilMs));
}

function backAtMs({ untilMs = 0, pausedUntilMs }: Origin): number {
  return Math.max(untilMs, pausedUntilMs);
}

/**
 * Leaves out origins that fail, for the requests of one process.
 *
 * Source: Envoy, "Outlier detection": consecutive 5xx and local errors; base ejection time times the number of ejections, which goes down
 * while the host is in; max ejection time and percent; at least one host. Envoy sends all requests to a host that returns. Here the first
 * is a probe, as in a circuit breaker that is half open.
 */
export class Origins {
  readonly #setup: Complete<EjectionOptions>;
  readonly #all: readonly Origin[];

  constructor(count: number, setup: Complete<EjectionOptions>) {
    this.#setup = setup;
    this.#all = Array.from({ length: count }, () => new Origin());
  }

  isOut(at: number): boolean {
    return this.#all[at]?.untilMs !== undefined;
  }

  /** An origin asks for no requests for so long. */
  pause(at: number, pauseMs: number, nowMs: number): void {
    const one = this.#all[at] as Origin;
    one.pausedUntilMs = Math.max(one.pausedUntilMs, nowMs + Math.min(pauseMs, LONGEST_PAUSE_MS));
  }

  /** The rest of its pause, in milliseconds. */
  pausedMs(at: number, nowMs: number): number {
    return Math.max(0, (this.#all[at] as Origin).pausedUntilMs - nowMs);
  }

  /** The first usable origin from `from` on. If there is none: the one that is the first to be back. */
  next(from: number, nowMs: number): number {
    const all = this.#all;
    const start = from % all.length;
    const turns = [...all.slice(start), ...all.slice(0, start)];
    const first = turns.reduce((one, other) => (backAtMs(other) < backAtMs(one) ? other : one));
    return all.indexOf(turns.find((one) => isUsable(one, nowMs)) ?? first);
  }

  /** An attempt goes to an origin. */
  begin(at: number, nowMs: number): EndAttempt {
    const one = this.#all[at] as Origin;
    const wasOut = this.isOut(at);
    const isProbe = wasOut && isUsable(one, nowMs);
    if (isProbe) one.isProbed = true;
    return (failed, endMs) => {
      if (isProbe) one.isProbed = false;
      const isOut = this.isOut(at);
      // An attempt from before the ejection does not end it.
      if (failed === undefined || (isOut && !wasOut)) return;
      one.failures = failed ? one.failures + 1 : 0;
      if (!failed && isOut) Object.assign(one, { sinceMs: endMs, untilMs: undefined });
      else if (failed && (isOut ? isProbe : this.#mayEject(one))) this.#eject(one, endMs);
    };
  }

  #mayEject({ failures }: Origin): boolean {
    const { consecutiveFailures, maxEjectedShare } = this.#setup;
    const out = this.#all.filter(({ untilMs }) => untilMs !== undefined).length;
    return failures >= consecutiveFailures && (out === 0 || out + 1 <= this.#all.length * maxEjectedShare);
  }

  #eject(one: Origin, nowMs: number): void {
    const { baseEjectionMs, maxEjectionMs } = this.#setup;
    const inMs = one.untilMs === undefined ? nowMs - one.sinceMs : 0;
    one.ejections = Math.max(0, one.ejections - Math.floor(inMs / baseEjectionMs)) + 1;
    one.failures = 0;
    one.sinceMs = nowMs;
    one.untilMs = nowMs + Math.max(baseEjectionMs, Math.min(maxEjectionMs, baseEjectionMs * one.ejections));
  }
}
