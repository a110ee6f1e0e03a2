"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Closing = exports.Watch = void 0;
const adapter_1 = require("@ebb/core/adapter");
const errors_ts_1 = require("./errors.js");
/** How often a wait checks whether its dispatcher was closed, in milliseconds of real time. */
const CHECK_EVERY_MS = 100;
/** Never sent: an `Agent` first checks whether it is closed, and then reads the origin, which throws. */
const PROBE = {
    get origin() {
        throw new Error('Not a request: a check whether the agent is closed');
    },
    path: '/',
    method: 'GET',
};
/**
 * A place in the ring of watchers. Not a `Set`: it leaves its tables behind as it grows and shrinks, and an old table keeps
 * requests in memory that have ended, until the next full collection.
 */
class Watch {
    watcher;
    next = this;
    #previous = this;
    /** @param ring the first of the ring, which has no watcher; by default this one */
    constructor(watcher, ring) {
        this.watcher = watcher;
        if (ring === undefined)
            return;
        this.next = ring;
        this.#previous = ring.#previous;
        this.#previous.next = this;
        ring.#previous = this;
    }
    stop() {
        this.#previous.next = this.next;
        this.next.#previous = this.#previous;
        this.next = this;
        this.#previous = this;
    }
}
exports.Watch = Watch;
/**
 * Detects that an `Agent` of undici 8 was closed or destroyed while retries wait. undici does not tell an interceptor.
 * But a closed `Agent` refuses every dispatch with an error of its own, and an open one does nothing for a dispatch
 * without an origin.
 */
class Closing {
    #dispatch;
    #watches = new Watch();
    #isScheduled = false;
    constructor(dispatch) {
        this.#dispatch = dispatch;
    }
    /**
     * `undefined` if probing would do harm: a `Pool` takes a failed dispatch for a sign that its client is busy, with
     * undici 7 a `Pool` cannot be told from an `Agent`, and another interceptor in between would see the probe.
     *
     * @param args the arguments of the interceptor: undici 8 passes the origin of a `Pool` or a `Client`
     */
    static of(args) {
        const [dispatch, origin] = args;
        const isAgent = args.length > 1 && origin === undefined && dispatch.name === 'bound dispatch';
        return isAgent ? new Closing(dispatch) : undefined;
    }
    /** Tells the watcher, once, when the agent is closed, unless the watch is stopped before. */
    watch(watcher) {
        if (!this.#isScheduled)
            this.#schedule();
        return new Watch(watcher, this.#watches);
    }
    /** In the background, and not cancelled when the last wait ends: most waits are short, and share the next check. */
    #schedule() {
        this.#isScheduled = true;
        adapter_1.systemClock.schedule(this.#check, CHECK_EVERY_MS, true);
    }
    #check = () => {
        this.#isScheduled = false;
        const ring = this.#watches;
        if (ring.next === ring)
            return;
        const error = this.#probe();
        if (error === undefined) {
            this.#schedule();
            return;
        }
        while (ring.next !== ring) {
            const { next } = ring;
            next.stop();
            next.watcher?.dispatcherClosed(error);
        }
    };
    #probe() {
        let refused;
        const handler = {
            onRequestStart: (controller) => controller.abort(new Error('Not a request')),
            onResponseError: (_, error) => {
                refused = error;
            },
        };
        try {
            this.#dispatch(PROBE, handler);
        }
        catch {
            // Some dispatchers, for example a MockAgent, read the origin first.
        }
        return (0, errors_ts_1.isClosedError)(refused) ? refused : undefined;
    }
}
exports.Closing = Closing;
//# sourceMappingURL=closing.js.map