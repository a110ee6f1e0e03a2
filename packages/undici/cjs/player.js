"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Player = void 0;
const adapter_1 = require("@ebb/core/adapter");
const errors_ts_1 = require("./errors.js");
/** Plays a response that has arrived before, in place of a connection: it stops while the handler is paused. */
class Player {
    aborted = false;
    paused = false;
    reason = null;
    #isPlaying = false;
    #hasBegun = false;
    #isFirstTurn = false;
    #errorWaits = false;
    pause() {
        this.paused = true;
    }
    resume() {
        if (!this.paused)
            return;
        this.paused = false;
        if (!this.#isPlaying)
            this.play();
    }
    abort(reason) {
        if (this.aborted)
            return;
        this.aborted = true;
        this.reason = reason ?? (0, errors_ts_1.requestAbortedError)();
        this.ended(this.reason);
    }
    /** Goes on after something has arrived, unless the handler is paused or has not had the headers. */
    playMore() {
        if (this.#hasBegun && !this.#isPlaying && !this.paused && !this.aborted)
            this.play();
    }
    /** @param first what comes before the body */
    play(first) {
        this.#isPlaying = true;
        try {
            first?.();
            while (!this.paused && this.next())
                ;
        }
        catch (error) {
            this.ended(error);
        }
        finally {
            this.#isPlaying = false;
        }
    }
    /**
     * Plays the headers, and then the body.
     *
     * @param mayFail true if the body ends with an error, or is not complete. A `fetch` makes its body in the promises that follow
     *   the headers: an error in the same turn of the event loop has no body to fail, and a read of that body would wait for ever
     */
    begin(respond, mayFail) {
        if (mayFail) {
            this.#isFirstTurn = true;
            (0, adapter_1.inNextTurn)(() => {
                this.#isFirstTurn = false;
                if (this.#errorWaits)
                    this.playMore();
            });
        }
        this.#hasBegun = true;
        this.play(respond);
    }
    /** True if an error must not be played yet. Unless the handler pauses, playing goes on by itself in the next turn. */
    delaysError() {
        this.#errorWaits = true;
        return this.#isFirstTurn;
    }
}
exports.Player = Player;
//# sourceMappingURL=player.js.map