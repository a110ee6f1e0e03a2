"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Downstream = void 0;
const adapter_1 = require("@ebb/core/adapter");
/** The caller's handler, which sees all attempts as one request. */
class Downstream {
    controller;
    /** True once the handler threw in a callback, which ends the request. */
    threw = false;
    #handler;
    #session;
    #path;
    /** The `context` that the handler gets. */
    #context;
    /** By status of an informational response, the attempt whose response was passed on. */
    #informedBy;
    #uploadedBytes = 0;
    #uploaded = false;
    #over = false;
    /** The controller of the `onResponseError` call in which the handler threw. */
    #failedWith;
    /** @param path where hops that follow a redirect find this call; `undefined` if no one needs to know */
    constructor(handler, controller, session, path) {
        this.#path = path;
        this.#handler = handler;
        this.controller = controller;
        this.#session = session;
    }
    get handler() {
        return this.#handler;
    }
    /** True if the handler listens to the upload. */
    get watchesUpload() {
        const { onBodySent, onRequestSent } = this.#handler;
        return typeof onBodySent === 'function' || typeof onRequestSent === 'function';
    }
    get over() {
        return this.#over;
    }
    /**
     * Starts the handler. Later attempts add to the same context.
     *
     * @param isAgain true if the same attempt has started before: undici starts a request for each hop, and again after a
     *   pipeline broke
     */
    start(context, isAgain = false) {
        if (this.#context !== undefined) {
            if (context)
                Object.assign(this.#context, context);
            if (!isAgain)
                return;
        }
        else {
            // Not `{ ...context }` alone: a copy of nothing has no room for the history, which then takes twice as long.
            this.#context = context ? { ...context } : {};
        }
        try {
            this.#handler.onRequestStart?.(this.controller, this.#context);
        }
        catch (error) {
            throw this.#threw(error);
        }
    }
    /** Gives the handler its controller before anything is sent, so that it can abort the wait. */
    begin() {
        try {
            this.start();
        }
        catch (error) {
            this.controller.abort(error);
        }
    }
    /**
     * Notes the history for what the handler has, without a visible property. Called after the decision, not at the start: a
     * history that is asked for before it has an entry takes more memory.
     */
    #remember() {
        const { trace } = this.#session;
        (0, adapter_1.remember)(this.#context, trace);
        // undici's redirect interceptor copies the context, but every copy shares this list.
        const { history: hops } = this.#handler;
        if (Array.isArray(hops))
            (0, adapter_1.remember)(hops, trace);
    }
    /** Records that the handler threw. */
    #threw(error) {
        this.threw = true;
        return error;
    }
    /** Passes an informational response on, unless an earlier attempt had one of the same status. */
    inform(attempt, status, headers, message) {
        this.#informedBy ??= new Map();
        if ((this.#informedBy.get(status) ?? attempt) !== attempt)
            return;
        this.#informedBy.set(status, attempt);
        this.#startResponse(attempt.connection, status, headers, message);
    }
    /** Begins the response that the handler gets. */
    respond(connection, status, headers, message) {
        this.controller.attach(connection);
        this.#remember();
        if (this.#path !== undefined)
            this.#noteOnTrail(this.#path, status, headers);
        this.#startResponse(connection, status, headers, message);
    }
    #noteOnTrail({ trail }, status, headers) {
        trail.note(this.#session.request, status, headers);
        trail.key = this.#session.idempotencyKey;
    }
    #startResponse(connection, status, headers, message) {
        this.controller.rawHeaders = connection?.rawHeaders ?? null;
        try {
            this.#handler.onResponseStarted?.();
            this.#handler.onResponseStart?.(this.controller, status, headers, message);
        }
        catch (error) {
            throw this.#threw(error);
        }
    }
    data(chunk) {
        try {
            this.#handler.onResponseData?.(this.controller, chunk);
        }
        catch (error) {
            throw this.#threw(error);
        }
    }
    end(connection, trailers) {
        this.controller.rawTrailers = connection?.rawTrailers ?? null;
        this.#over = true;
        try {
            if (this.#path === undefined)
                this.#handler.onResponseEnd?.(this.controller, trailers);
            else
                this.#endOnTrail(this.#path, trailers);
        }
        catch (error) {
            // undici reports this to the handler as an error.
            this.#over = false;
            throw this.#threw(error);
        }
    }
    /** A method of its own: its closure is allocated as soon as it is called. */
    #endOnTrail({ trail, trails }, trailers) {
        trails.within(trail, () => this.#handler.onResponseEnd?.(this.controller, trailers));
    }
    upgrade(connection, status, headers, socket) {
        this.controller.rawHeaders = connection?.rawHeaders ?? null;
        this.#remember();
        try {
            const result = this.#handler.onRequestUpgrade?.(this.controller, status, headers, socket);
            // Not earlier: the handler may abort in the callback.
            this.#over = true;
            return result;
        }
        catch (error) {
            throw this.#threw(error);
        }
    }
    /**
     * Ends with an error.
     *
     * @param connection passed as the controller if the handler was never started, as undici does
     * @throws what the handler throws: as without ebb, the caller that reports the error gets it
     */
    fail(error, connection) {
        if (this.#over)
            return;
        this.#over = true;
        this.#remember();
        const controller = this.#context === undefined ? (connection ?? null) : this.controller;
        try {
            this.#handler.onResponseError?.(controller, error);
        }
        catch (thrown) {
            this.#failedWith = controller;
            throw thrown;
        }
    }
    /** For a response that was set aside: undici also reports what a handler throws as an error. */
    abort(error) {
        this.fail(error);
    }
    /** A dispatcher that wraps another reports what the handler threw in `onResponseError`. */
    failAgain(error) {
        const controller = this.#failedWith;
        if (controller !== undefined)
            this.#handler.onResponseError?.(controller, error);
    }
    /** Ends without a callback: the dispatcher threw, and the caller of `dispatch` gets the error. */
    endSilently() {
        this.#over = true;
        this.#remember();
    }
    /** Passes on the part of a chunk that no earlier attempt has sent. */
    bodySent(startsAt, chunk) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        const reported = Math.max(0, this.#uploadedBytes - startsAt);
        if (reported >= bytes.byteLength)
            return;
        this.#uploadedBytes = startsAt + bytes.byteLength;
        try {
            this.#handler.onBodySent?.(reported === 0 ? chunk : bytes.subarray(reported));
        }
        catch (error) {
            throw this.#threw(error);
        }
    }
    requestSent(isAgain) {
        if (this.#uploaded && !isAgain)
            return;
        this.#uploaded = true;
        try {
            this.#handler.onRequestSent?.();
        }
        catch (error) {
            throw this.#threw(error);
        }
    }
}
exports.Downstream = Downstream;
//# sourceMappingURL=downstream.js.map