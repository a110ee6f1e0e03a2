/** Of the successful responses of a quiet origin, one in so many is read … */
const EVERY = 32;

/** … and the first whose request was granted so long after that of the one read last, in milliseconds. */
const EVERY_MS = 100;

/** With more origins all are forgotten, which is safe: an origin that is not known is read. */
const MOST_ORIGINS = 100;

/** Whether an origin reports quotas. */
interface Habit {
  /** True once a response has reported one: from then on all are read. */
  reports: boolean;
  /** Responses since the one that was read last. */
  unread: number;
  /** When the request of the one that was read last was granted, in milliseconds. */
  readAtMs: number;
}

const NOT_KNOWN: Habit = { reports: true, unread: 0, readAtMs: 0 };

/**
 * The origins that report no quota with their successful responses. Looking for one takes seven headers, more than all
 * else that a bucket does for a request, and most origins report one always or never.
 *
 * The first response of an origin is read, and all of them if it has ever reported a quota. If an origin begins to report
 * later, at most 31 responses go unread, to requests that were granted within 100 ms. Should one of them say that the quota
 * is used up, the pause begins with the refusal of the next request: responses with an error are always read.
 */
export class QuietOrigins {
  #habits: Map<string, Habit> | undefined;
  /** Whose response was asked for last. */
  #origin = '';
  #habit = NOT_KNOWN;

  /**
   * True if a successful response need not be read. If false, call {@link heard} when it reports a quota.
   *
   * @param grantedAtMs when its request was granted, in milliseconds on any one clock
   */
  mayIgnore(origin: string, grantedAtMs: number): boolean {
    if (origin !== this.#origin) {
      this.#habits ??= new Map();
      const known = this.#habits.get(origin);
      this.#origin = origin;
      if (known === undefined) {
        if (this.#habits.size >= MOST_ORIGINS) this.#habits.clear();
        this.#habit = { reports: false, unread: 0, readAtMs: grantedAtMs };
        this.#habits.set(origin, this.#habit);
        return false;
      }
      this.#habit = known;
    }
    const habit = this.#habit;
    if (habit.reports) return false;
    habit.unread += 1;
    if (habit.unread < EVERY && grantedAtMs < habit.readAtMs + EVERY_MS) return true;
    habit.unread = 0;
    habit.readAtMs = grantedAtMs;
    return false;
  }

  /** The origin that {@link mayIgnore} was asked for last has reported a quota. */
  heard(): void {
    this.#habit.reports = true;
  }
}
