"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.sendWithTimeout = sendWithTimeout;
exports.timeoutError = timeoutError;
const response_body_ts_1 = require("./body/response-body.js");
/**
 * Sends one attempt, and gives up on it after `timeoutMs`.
 *
 * axios's own `timeout` cannot do this. Its http adapter counts until the headers and after that only idle time,
 * so a body that trickles never times out; and for a streamed response it keeps counting while the caller reads.
 *
 * @throws AxiosError when the time is up, the same as axios throws for `timeout`
 */
function sendWithTimeout(attempt) {
    const { timeoutMs, clock, config, send, timedOut } = attempt;
    const callerToken = config.cancelToken;
    const token = new AttemptToken(callerToken);
    config.cancelToken = token;
    const restore = () => {
        if (callerToken === undefined)
            delete config.cancelToken;
        else
            config.cancelToken = callerToken;
    };
    return new Promise((resolve, reject) => {
        let isLate = false;
        const cancelTimer = clock.schedule(() => {
            isLate = true;
            const error = attempt.error();
            timedOut();
            // Before the token is cancelled: a custom adapter may ignore tokens, and go on.
            reject(error);
            token.cancel(error);
            restore();
        }, timeoutMs);
        const inTime = () => {
            if (isLate)
                return false;
            cancelTimer();
            restore();
            return true;
        };
        new Promise((settle) => settle(send())).then((response) => (inTime() ? resolve(response) : (0, response_body_ts_1.discardLate)(response, clock)), (error) => (inTime() ? reject(error) : (0, response_body_ts_1.discardLate)(error, clock)));
    });
}
/** The error of axios's own timeout. */
function timeoutError(copy, config, timeoutMs) {
    const message = config.timeoutErrorMessage || `timeout of ${timeoutMs}ms exceeded`;
    const { ETIMEDOUT, ECONNABORTED } = copy.AxiosError;
    const code = config.transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED;
    return new copy.AxiosError(message, code, config);
}
/**
 * Cancels one attempt when its time is up, and forwards the caller's own token. It is a token because axios rejects
 * with a token's reason as it is, but with a CanceledError for any signal. The caller's signal stays in the config,
 * where axios follows it for as long as a streamed response is read.
 */
class AttemptToken {
    reason;
    #callerToken;
    #listeners = new Set();
    constructor(callerToken) {
        this.#callerToken = callerToken;
    }
    get promise() {
        return new Promise((resolve) => this.subscribe(resolve));
    }
    cancel(error) {
        this.reason = error;
        for (const listener of [...this.#listeners])
            listener(error);
    }
    throwIfRequested() {
        if (this.reason !== undefined)
            throw this.reason;
        this.#callerToken?.throwIfRequested();
    }
    subscribe(listener) {
        if (this.reason !== undefined) {
            listener(this.reason);
            return;
        }
        this.#listeners.add(listener);
        this.#callerToken?.subscribe(listener);
    }
    unsubscribe(listener) {
        this.#listeners.delete(listener);
        this.#callerToken?.unsubscribe(listener);
    }
    toAbortSignal() {
        const controller = new AbortController();
        const abort = (reason) => controller.abort(reason);
        this.subscribe(abort);
        return Object.assign(controller.signal, { unsubscribe: () => this.unsubscribe(abort) });
    }
}
//# sourceMappingURL=attempt-timeout.js.map