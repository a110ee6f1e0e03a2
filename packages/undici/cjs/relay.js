"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Relay = void 0;
const attempt_ts_1 = require("./attempt.js");
const driver_ts_1 = require("./driver.js");
const headers_ts_1 = require("./headers.js");
const peek_ts_1 = require("./peek.js");
const resume_ts_1 = require("./resume.js");
const resuming_ts_1 = require("./resuming.js");
const trail_ts_1 = require("./trail.js");
const traits_ts_1 = require("./traits.js");
/** A request on its way: what the events of its attempts mean, as steps of its driver. */
class Relay extends driver_ts_1.Driver {
    makeAttempt() {
        const { downstream } = this;
        return new attempt_ts_1.Attempt(this, downstream.watchesUpload ? downstream : undefined);
    }
    informed(attempt, status, headers, message) {
        if (this.download === undefined)
            this.downstream.inform(attempt, status, headers, message);
    }
    responded(attempt, status, headers, message) {
        const { session, download } = this;
        if (download?.brokenBy !== undefined) {
            (0, resuming_ts_1.respondedRest)(this, attempt, (0, headers_ts_1.headOf)(attempt.connection, status, headers, message), download, download.brokenBy);
        }
        else if (session.reads) {
            this.runInAsyncScope(peek_ts_1.look, undefined, this, attempt, (0, headers_ts_1.headOf)(attempt.connection, status, headers, message));
        }
        else {
            const retry = this.judge(attempt, (0, traits_ts_1.responseOutcome)(attempt, status, headers));
            if (retry)
                this.setAside(attempt, (0, headers_ts_1.headOf)(attempt.connection, status, headers, message));
            else if (retry === false)
                this.#respond(attempt, status, headers, message);
        }
    }
    respond(attempt, { status, headers, message }, held) {
        this.#respond(attempt, status, headers, message, held);
    }
    #respond(attempt, status, headers, message, held) {
        const { session, downstream } = this;
        // With a slot: its body may be left unread.
        if (status >= 300 && (0, trail_ts_1.isRedirect)(status) && session.holdsSlot) {
            this.#playRedirect(attempt, held ?? attempt.hold((0, headers_ts_1.headOf)(attempt.connection, status, headers, message)));
            return;
        }
        this.download = resume_ts_1.Download.of(session.request, status, headers);
        if (held !== undefined) {
            this.#play(attempt, held);
        }
        else {
            attempt.forward();
            downstream.respond(attempt.connection, status, headers, message);
        }
    }
    // Methods of their own: their closures are allocated as soon as they are called.
    #play(attempt, held) {
        const { status, headers, message } = held.head;
        attempt.play(held, () => this.downstream.respond(held, status, headers, message));
    }
    #playRedirect(attempt, held) {
        held.readOn(this.session.policy.clock);
        this.#play(attempt, held);
    }
    upgraded(attempt, status, headers, socket) {
        const { session, downstream } = this;
        const { connection } = attempt;
        const retry = this.judge(attempt, (0, traits_ts_1.responseOutcome)(attempt, status, headers));
        if (retry === false) {
            session.bodyEnded();
            return downstream.upgrade(connection, status, headers, socket);
        }
        socket.destroy();
        if (retry)
            this.wait(() => downstream.upgrade(connection, status, headers, socket));
        return undefined;
    }
    arrived(attempt) {
        attempt.releaseBody();
        this.session.bodyEnded();
    }
    data(attempt, chunk) {
        if (this.download === undefined)
            this.downstream.data(chunk);
        else
            (0, resuming_ts_1.received)(this, attempt, chunk, this.download);
    }
    ended(attempt, trailers) {
        const { download } = this;
        if (download?.brokenBy !== undefined && !download.isComplete) {
            this.giveUp(attempt, download.brokenBy);
        }
        else {
            // If the response came before the upload was done, undici still waits for the upload.
            this.arrived(attempt);
            this.downstream.end(attempt.connection, trailers);
        }
    }
    broke(attempt, error) {
        (0, resuming_ts_1.broke)(this, attempt, error);
    }
    failedAgain(error) {
        this.downstream.failAgain(error);
    }
}
exports.Relay = Relay;
//# sourceMappingURL=relay.js.map