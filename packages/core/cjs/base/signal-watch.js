"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SignalWatch = void 0;
/**
 * The waiters under one signal, by lane, with one listener for all of them. With a listener each, aborting n waiters would
 * take n² steps, and Node would warn of a leak from the eleventh.
 *
 * A waiter that leaves is only counted. Once half of the lists has left, they are filtered: finding each waiter at once
 * would need an index as large as the lists.
 */
class SignalWatch {
    #lanes = new Map();
    #members = 0;
    #listed = 0;
    #ended = false;
    #isMember;
    #stop;
    /**
     * @param listen registers a function for the abort of the signal, and returns a function that removes it
     * @param isMember false for a waiter that has left
     * @param onEnd called when the signal aborts, and when the last waiter has left
     */
    constructor(listen, isMember, onEnd) {
        this.#isMember = isMember;
        const end = () => {
            if (this.#ended)
                return;
            this.#ended = true;
            unlisten();
            onEnd(this);
        };
        this.#stop = end;
        const unlisten = listen(end);
    }
    add(one, lane) {
        const list = this.#lanes.get(lane);
        if (list === undefined)
            this.#lanes.set(lane, [one]);
        else
            list.push(one);
        this.#members += 1;
        this.#listed += 1;
    }
    /** To be called once for each waiter that leaves. */
    left() {
        this.#members -= 1;
        if (this.#members === 0)
            this.#stop();
        else if (!this.#ended && this.#listed > 2 * this.#members + 32) {
            for (const [lane, list] of this.#lanes) {
                this.#lanes.set(lane, list.filter((one) => this.#isMember(one, this)));
            }
            this.#listed = this.#members;
        }
    }
    /** True if all have left. */
    get isEmpty() {
        return this.#members === 0;
    }
    *members() {
        for (const [lane, list] of this.#lanes) {
            for (const one of list)
                if (this.#isMember(one, this))
                    yield [one, lane];
        }
        return undefined;
    }
}
exports.SignalWatch = SignalWatch;
//# sourceMappingURL=signal-watch.js.map