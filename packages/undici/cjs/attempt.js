"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Attempt = void 0;
const aside_ts_1 = require("./aside.js");
const attempt_listener_ts_1 = require("./attempt-listener.js");
const errors_ts_1 = require("./errors.js");
const gaps_ts_1 = require("./gaps.js");
const held_ts_1 = require("./held.js");
/**
 * One send. Each attempt is a handler of its own, so that late events of an attempt that was given up cannot be
 * mistaken for those of the next one.
 */
class Attempt {
    connection;
    /** How often undici started it: more than once if an interceptor below follows redirects. */
    starts = 0;
    /** The URLs that redirected, if undici's redirect interceptor is below. */
    hops;
    #listener;
    #state = 'sent';
    #cancelTimer;
    /** The response, while it is held or set aside. */
    #kept;
    #droppedFor;
    #restoreMethods;
    #releaseBody;
    /** @param upload only if the handler listens to the upload: for a handler that does, a MockAgent reads the body */
    constructor(listener, upload) {
        this.#listener = listener;
        if (upload !== undefined)
            Object.assign(this, (0, attempt_listener_ts_1.uploadEvents)(upload));
    }
    get over() {
        return this.#state === 'over';
    }
    /** True if it was given up while undici still had it in a queue. */
    get isQueued() {
        return this.#droppedFor !== undefined && this.starts === 0;
    }
    /** Hides the methods that the caller's handler lacks, until the attempt starts. */
    mirror(handler, options) {
        this.#restoreMethods = (0, gaps_ts_1.mirrorGaps)(handler, options, this);
    }
    /** Fails with undici's own timeout error, which names `namedMs`, if no response headers come within `timeoutMs`. */
    limit(clock, timeoutMs, namedMs) {
        this.#cancelTimer = clock.schedule(() => this.abort((0, errors_ts_1.headersTimeoutError)(namedMs)), timeoutMs);
    }
    /** Has {@link releaseBody} close the body that was taken for this attempt; at once if the attempt is over. */
    reads(body, taken) {
        if (this.over)
            body?.release?.(taken);
        else
            this.#releaseBody = () => body?.release?.(taken);
    }
    /** Closes the body that was taken for this attempt. */
    releaseBody() {
        const release = this.#releaseBody;
        this.#releaseBody = undefined;
        release?.();
    }
    onRequestStart(connection, context) {
        this.#restoreMethods?.();
        this.starts += 1;
        const hops = context?.history;
        if (Array.isArray(hops))
            this.hops = hops;
        // Given up while it was queued: it must not be sent.
        if (this.#droppedFor !== undefined) {
            connection.abort(this.#droppedFor);
        }
        else {
            this.connection = connection;
            this.#listener.started(this, context);
        }
    }
    onRequestUpgrade(from, status, headers, socket) {
        if (this.#state !== 'sent')
            return socket.destroy();
        this.connection = from;
        this.#state = 'forwarded';
        this.#cancelTimer?.();
        // Finished only after the call: if the handler throws, undici reports that through onResponseError.
        const result = this.#listener.upgraded(this, status, headers, socket);
        this.#finish();
        return result;
    }
    onResponseStart(connection, status, headers, message) {
        if (this.#state !== 'sent')
            return;
        this.connection = connection;
        if (status < 200) {
            this.#listener.informed(this, status, headers, message);
        }
        else {
            this.#cancelTimer?.();
            this.#listener.responded(this, status, headers, message);
        }
    }
    onResponseData(_, chunk) {
        if (this.#state === 'forwarded')
            this.#listener.data(this, chunk);
        else if (this.#state !== 'over')
            this.#kept?.take(chunk);
    }
    onResponseEnd(_, trailers) {
        if (this.#state === 'forwarded') {
            // Finished after the call, as in onRequestUpgrade.
            this.#listener.ended(this, trailers);
            this.#finish();
        }
        else {
            const isHeld = this.#isHeld;
            if (!isHeld)
                this.#finish();
            this.#kept?.arrived(this.connection?.rawTrailers ?? null, trailers);
            if (isHeld)
                this.#arrived();
        }
    }
    onResponseError(connection, error) {
        this.connection ??= connection;
        if (!this.over)
            this.#fail(error);
        else if (this.#droppedFor === undefined)
            this.#listener.failedAgain(error);
    }
    /** The listener gets the body of the response. */
    forward() {
        this.#state = 'forwarded';
    }
    /** Keeps the response back until it is played, set aside or dropped. */
    hold(head) {
        this.#state = 'held';
        const held = new held_ts_1.Held(head, this.connection, this);
        this.#kept = held;
        return held;
    }
    /** The listener gets what was held back, and then the rest. */
    play(held, respond) {
        this.#state = 'played';
        if (held.isOver)
            this.#arrived();
        held.start(respond);
    }
    discard(reason) {
        this.connection?.abort(reason);
        // A dispatcher may ignore its controller.
        this.#arrived();
    }
    /** A response that has not been judged may still be followed by a retry. */
    #arrived() {
        if (this.#state === 'played')
            this.#listener.arrived(this);
    }
    get #isHeld() {
        return this.#state === 'held' || this.#state === 'played';
    }
    data(chunk) {
        this.#listener.data(this, chunk);
    }
    end(_, trailers) {
        this.#listener.ended(this, trailers);
        this.#finish();
    }
    fail(error) {
        this.#finish();
        this.#listener.broke(this, error);
    }
    playedAll() {
        this.#state = 'forwarded';
        this.#kept = undefined;
    }
    /** Reads the response to its end, within bounds, and keeps it; also one that was held back. */
    setAside(head, session, held) {
        if (held?.isOver)
            this.#finish();
        else
            this.#state = 'aside';
        const aside = new aside_ts_1.Aside(head, session, this);
        this.#kept = aside;
        if (held !== undefined)
            aside.takeOver(held);
        aside.limit();
        held?.letGo();
        return aside;
    }
    /** Gives up a response that was set aside, because it is too long. */
    giveUp() {
        if (this.over)
            return;
        this.#kept = undefined;
        this.drop((0, errors_ts_1.requestAbortedError)('Response discarded'));
    }
    /** Aborts the connection, without an event to the listener. */
    drop(reason) {
        this.#finish();
        this.#droppedFor = reason;
        this.#abortConnection(reason);
    }
    /** Does nothing if all of the response has arrived: there is nothing left to abort. */
    #abortConnection(reason) {
        if (this.#kept?.isOver !== true)
            this.connection?.abort(reason);
    }
    /**
     * Fails at once with the reason, in any state; does nothing once it is over. undici reports the abort before it
     * closes the connection, so that a handler can destroy its upload with the reason.
     */
    abort(reason) {
        if (this.over)
            return;
        this.#droppedFor = reason ?? (0, errors_ts_1.requestAbortedError)();
        this.#abortConnection(reason);
        // It may still be queued, or its dispatcher may ignore the controller.
        this.#fail(this.#droppedFor);
    }
    #fail(error) {
        const state = this.#state;
        if (state === 'over')
            return;
        if (this.#isHeld && this.#droppedFor === undefined) {
            // What came before the error is judged, and played, first.
            this.#kept?.break(error);
            this.#arrived();
            return;
        }
        this.#finish();
        this.#kept?.break(error);
        if (state === 'sent' || state === 'held')
            this.#listener.failed(this, error);
        else if (state !== 'aside')
            this.#listener.broke(this, error);
    }
    #finish() {
        this.#state = 'over';
        this.#cancelTimer?.();
    }
}
exports.Attempt = Attempt;
//# sourceMappingURL=attempt.js.map