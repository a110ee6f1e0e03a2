"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LateAttempt = void 0;
/**
 * An attempt that has timed out, and whose custom adapter may go on with the config: it may have ignored its token, or
 * wait for something else. While ebb waits for the retry the config stays as it was in the attempt. Its token is
 * canceled, so that axios sends nothing more through another instance or its fetch adapter, and what is sent nevertheless
 * has the attempt's headers, an idempotency key for example.
 */
class LateAttempt {
    #config;
    #inAttempt;
    /** The caller's. */
    #before;
    constructor(config) {
        this.#config = config;
        this.#inAttempt = { cancelToken: config.cancelToken, headers: config.headers };
    }
    hold() {
        const { cancelToken, headers } = this.#config;
        this.#before = { cancelToken, headers };
        Object.assign(this.#config, this.#inAttempt);
    }
    release() {
        if (this.#before === undefined)
            return;
        Object.assign(this.#config, this.#before);
        if (this.#before.cancelToken === undefined)
            delete this.#config.cancelToken;
        this.#before = undefined;
    }
}
exports.LateAttempt = LateAttempt;
//# sourceMappingURL=late-attempt.js.map