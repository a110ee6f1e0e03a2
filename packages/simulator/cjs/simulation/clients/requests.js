"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Requests = void 0;
const typed_array_ts_1 = require("../../engine/typed-array.js");
const NONE = -1;
/** A stamp has 24 bits, so that an event has room for the number of an outcome beside it. */
const STAMPS = 0xff_ffff;
/** The eight numbers of a request lie side by side, in one cache line. */
const WIDTH = 8;
const CLIENT = 0;
const ATTEMPT = 1;
const STAMP = 2;
const NEXT = 3;
const STARTED = 4;
const SINCE = 5;
const GRANTED = 6;
const BACKOFF = 7;
/** The open requests. The place of a request that has ended is used again, so that a request makes no garbage. */
class Requests {
    open = 0;
    #numbers = new Float64Array(WIDTH * 1_024);
    #free = NONE;
    #used = 0;
    begin(client, nowMs) {
        let request = this.#free;
        if (request === NONE) {
            if (this.#used * WIDTH === this.#numbers.length) {
                this.#numbers = (0, typed_array_ts_1.copyInto)(new Float64Array(2 * this.#numbers.length), this.#numbers);
            }
            request = this.#used;
            this.#used += 1;
        }
        else {
            this.#free = this.next(request);
        }
        this.open += 1;
        const numbers = this.#numbers;
        const at = request * WIDTH;
        numbers[at + CLIENT] = client;
        numbers[at + ATTEMPT] = 1;
        numbers[at + STARTED] = nowMs;
        numbers[at + BACKOFF] = -1;
        return request;
    }
    end(request) {
        this.open -= 1;
        this.renew(request);
        this.link(request, this.#free);
        this.#free = request;
    }
    /** Reads a request, if there is one, so that it is in the processor's cache when its event happens. */
    touch(request) {
        const at = request * WIDTH + CLIENT;
        return at < this.#numbers.length ? this.#numbers[at] : 0;
    }
    client(request) {
        return this.#numbers[request * WIDTH + CLIENT];
    }
    /** The current attempt, or the one that is waited for, from 1. */
    attempt(request) {
        return this.#numbers[request * WIDTH + ATTEMPT];
    }
    startedAtMs(request) {
        return this.#numbers[request * WIDTH + STARTED];
    }
    /** What the backoff rule returned for the previous retry; `undefined` for the first. */
    previousBackoffMs(request) {
        const backoffMs = this.#numbers[request * WIDTH + BACKOFF];
        return backoffMs < 0 ? undefined : backoffMs;
    }
    /** Starts the next attempt, which comes after this backoff. */
    retry(request, backoffMs) {
        this.renew(request);
        const at = request * WIDTH;
        this.#numbers[at + ATTEMPT] = this.#numbers[at + ATTEMPT] + 1;
        this.#numbers[at + BACKOFF] = backoffMs;
    }
    /** Changes when earlier messages and timers of the request no longer count. */
    stamp(request) {
        return this.#numbers[request * WIDTH + STAMP];
    }
    /** Cancels all messages and timers of the request, and returns the new stamp. */
    renew(request) {
        const stamp = (this.stamp(request) + 1) & STAMPS;
        this.#numbers[request * WIDTH + STAMP] = stamp;
        return stamp;
    }
    /** The request behind this one in its line. */
    next(request) {
        return this.#numbers[request * WIDTH + NEXT];
    }
    link(request, next) {
        this.#numbers[request * WIDTH + NEXT] = next;
    }
    /** When the request began to wait for its tokens. */
    sinceMs(request) {
        return this.#numbers[request * WIDTH + SINCE];
    }
    startWait(request, nowMs) {
        this.#numbers[request * WIDTH + SINCE] = nowMs;
    }
    /** When the request got its tokens. */
    grantedAtMs(request) {
        return this.#numbers[request * WIDTH + GRANTED];
    }
    grant(request, nowMs) {
        this.#numbers[request * WIDTH + GRANTED] = nowMs;
    }
}
exports.Requests = Requests;
//# sourceMappingURL=requests.js.map