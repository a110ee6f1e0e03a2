"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Controller = void 0;
/**
 * The controller that the handler has for the whole request. With a controller per attempt, a handler could pause one
 * connection and resume that one later, while its data comes on another.
 */
class Controller {
    rawHeaders = null;
    rawTrailers = null;
    #listener;
    #connection;
    #paused = false;
    #aborted = false;
    #reason = null;
    constructor(listener) {
        this.#listener = listener;
    }
    get aborted() {
        return this.#aborted;
    }
    get reason() {
        return this.#reason;
    }
    get paused() {
        return this.#paused;
    }
    pause() {
        this.#paused = true;
        this.#connection?.pause();
    }
    resume() {
        this.#paused = false;
        this.#connection?.resume();
    }
    abort(reason) {
        if (this.#aborted)
            return;
        this.#aborted = true;
        this.#reason = reason;
        this.#listener.aborted(reason);
    }
    /** From now on data comes on this connection, which is paused if the handler is. */
    attach(connection) {
        this.#connection = connection;
        if (this.#paused)
            connection?.pause();
    }
}
exports.Controller = Controller;
//# sourceMappingURL=controller.js.map