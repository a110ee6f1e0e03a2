"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.QuietOrigins = void 0;
/** Of the successful responses of a quiet origin, one in so many is read … */
const EVERY = 32;
/** … and the first whose request was granted so long after that of the one read last, in milliseconds. */
const EVERY_MS = 100;
/** With more origins all are forgotten, which is safe: an origin that is not known is read. */
const MOST_ORIGINS = 100;
/**
 * The origins that report no quota with their successful responses. Looking for one takes seven headers, more than all
 * else that a bucket does for a request, and most origins report one always or never.
 *
 * The first response of an origin is read, and all of them if it has ever reported a quota. If an origin begins to report
 * later, at most 31 responses go unread, to requests that were granted within 100 ms. Should one of them say that the quota
 * is used up, the pause begins with the refusal of the next request: responses with an error are always read.
 */
class QuietOrigins {
    #habits = new Map();
    /**
     * True if a successful response need not be read. If false, tell {@link heard} when it reports a quota.
     *
     * @param grantedAtMs when its request was granted, in milliseconds on any one clock
     */
    mayIgnore(origin, grantedAtMs) {
        const habit = this.#habits.get(origin);
        if (habit === undefined) {
            if (this.#habits.size >= MOST_ORIGINS)
                this.#habits.clear();
            this.#habits.set(origin, { reports: false, unread: 0, readAtMs: grantedAtMs });
            return false;
        }
        if (habit.reports)
            return false;
        habit.unread += 1;
        if (habit.unread < EVERY && grantedAtMs < habit.readAtMs + EVERY_MS)
            return true;
        habit.unread = 0;
        habit.readAtMs = grantedAtMs;
        return false;
    }
    /** Notes that an origin has reported a quota. */
    heard(origin) {
        const habit = this.#habits.get(origin);
        if (habit !== undefined)
            habit.reports = true;
    }
}
exports.QuietOrigins = QuietOrigins;
//# sourceMappingURL=quiet-origins.js.map