"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Call = void 0;
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const _platform_1 = require("#platform");
const aside_ts_1 = require("./body/aside.js");
const peek_ts_1 = require("./body/peek.js");
const bounded_ts_1 = require("./bounded.js");
const foreign_signal_ts_1 = require("./foreign-signal.js");
const outcome_ts_1 = require("./outcome.js");
/** Cancels a response that arrives after its attempt has ended, from a base fetch that ignores its signal. */
function dropLate(response) {
    void (0, adapter_1.drain)(response?.body, undefined, adapter_1.systemClock, AbortSignal.abort());
}
/** Sends the attempts of one call of `fetch`. */
class Call {
    #baseFetch;
    #request;
    #session;
    #upload;
    /** The state of the attempt under way, if a timeout or a signal can end it. */
    #bounded;
    #hops;
    #isWatched = false;
    #status = 0;
    constructor(baseFetch, request) {
        this.#baseFetch = baseFetch;
        this.#request = request;
        const followed = request.signal && (0, adapter_1.followForeign)(request.signal);
        if (followed !== undefined)
            this.followed = followed;
    }
    /** The caller's signal, or a native one that follows it. */
    get signal() {
        return this.followed?.signal ?? this.#request.signal;
    }
    /** True if {@link end} has to be called. */
    get mayLeaveOpen() {
        return this.followed !== undefined || this.#request.mayLeaveOpen;
    }
    /** True if the base fetch reports the caller's signal: one that has aborted, or one that it does not accept. */
    get #keepsSignal() {
        const { signal } = this.#request;
        if (this.followed === undefined || signal === undefined)
            return false;
        return signal.aborted || ((0, adapter_1.isNativeFetch)(this.#baseFetch) && (0, foreign_signal_ts_1.isRefusedByRuntime)(signal));
    }
    /** As it is sent now. */
    get request() {
        return this.#request;
    }
    get makeBody() {
        return this.#request.hasFactory ? this.#makeBody.bind(this) : undefined;
    }
    async #makeBody(state) {
        this.#upload ??= this.#request.upload(false);
        await this.#upload?.make(() => state.over);
    }
    send(session) {
        const { attempt, policy } = session;
        const { maxRetries } = policy;
        const { signal } = this;
        const timeoutMs = session.timeoutMs();
        this.#session = session;
        if (attempt === 1)
            this.#upload ??= this.#request.upload(maxRetries > 0 && signal?.aborted !== true);
        if (policy.bucket !== undefined)
            (0, _platform_1.recordConnectErrors)?.();
        const mayRetry = attempt <= maxRetries;
        this.#hops = _platform_1.Hops && mayRetry && this.#request.needsProof(policy) ? new _platform_1.Hops() : undefined;
        if (timeoutMs === undefined && signal === undefined)
            return this.#attempt();
        return this.#sendBounded(session, timeoutMs, signal);
    }
    /** The first attempt was sent before the call was made. */
    sent(session) {
        this.#session = session;
        this.#upload = this.#request.upload(false);
    }
    /** A method of its own: its closure is allocated as soon as it is called. */
    #sendBounded(session, timeoutMs, signal) {
        const { clock } = session.policy;
        const error = () => (0, adapter_1.timeoutError)(session.namedTimeoutMs);
        return this.#bound({ clock, timeoutMs, timeoutError: error, signal, keepsSignal: this.#keepsSignal });
    }
    /** Sends without a policy. Only a body factory still needs ebb. */
    sendBare() {
        this.#upload = this.#request.upload(false);
        const { signal } = this;
        if (this.#upload?.factory === undefined || signal === undefined)
            return this.#attempt();
        return this.#bound({ clock: adapter_1.systemClock, timeoutMs: undefined, signal, keepsSignal: true });
    }
    #bound(bounds) {
        const start = (state) => {
            this.#bounded = state;
            return this.#attempt();
        };
        return (0, bounded_ts_1.bounded)(bounds, start, dropLate);
    }
    #attempt() {
        const headers = this.#session?.headerChanges;
        const upload = this.#upload;
        if (upload === undefined)
            return this.#sendWith(undefined, headers);
        return upload.isMissing ? this.#makeAndSend(upload, headers) : this.#sendWith(upload.takeBody(), headers);
    }
    /** Without a policy, and after an abort, which is for the base fetch to report. */
    async #makeAndSend(upload, headers) {
        await this.#makeBody(this.#bounded ?? { over: false });
        return this.#sendWith(upload.takeBody(), headers);
    }
    #sendWith(body, headers) {
        const made = headers === undefined ? body : { ...body, headers: this.#request.changedHeaders(headers) };
        const layer = this.#session?.layer;
        if (this.#hops !== undefined || layer !== undefined)
            return this.#sendObserved(made, layer);
        return this.#request.sendWith(this.#baseFetch, made, this.#bounded?.signal, undefined);
    }
    /** Sends for layers below, or counts hops. A method of its own, for its closures. */
    #sendObserved(made, layer) {
        const session = this.#session;
        const hops = this.#hops;
        const signal = this.#bounded?.signal;
        const send = () => this.#request.sendWith(this.#baseFetch, made, signal, layer);
        const sendLayered = layer === undefined || session === undefined ? send : () => session.sending(send);
        return hops === undefined ? sendLayered() : hops.count(sendLayered);
    }
    outcome(response) {
        const outcome = new outcome_ts_1.ResponseOutcome(response);
        this.#status = outcome.status;
        return outcome;
    }
    failure(error) {
        if (error instanceof core_1.HookError)
            return { type: 'failure', kind: 'unknown', error };
        const kind = this.#bounded?.timedOut ? 'timeout' : (0, adapter_1.failureKind)(error);
        if (kind !== 'connect')
            return { type: 'failure', kind, error };
        const { method, url, followsRedirects } = this.#request;
        if (this.#hops === undefined) {
            const isFirst = !followsRedirects || (0, _platform_1.failedToConnectTo)?.(error, url) === true;
            return { type: 'failure', kind, error, redirected: isFirst ? false : undefined };
        }
        return { type: 'failure', kind, error, redirected: !this.#hops.failedAtFirst(method, url) };
    }
    peek(response) {
        return (0, peek_ts_1.peekAt)(response);
    }
    setAside(settled, session, signal) {
        this.#request = this.#request.forRetry();
        const aside = (0, aside_ts_1.setAside)(settled, session, signal);
        const upload = this.#upload;
        // Not before the response has been read: closing the upload may break the response.
        if (aside === undefined)
            upload?.endAttempt();
        else if (upload?.isOpen)
            void aside.released.then(() => upload.endAttempt());
        return aside;
    }
    whenBodyEnds(settled, ended) {
        return this.#watch(settled, () => {
            ended();
            this.#upload?.endAttempt();
        });
    }
    #watch(settled, ended) {
        this.#isWatched = true;
        const { method, signal } = this.#request;
        const clock = this.#session?.policy.clock ?? adapter_1.systemClock;
        const watch = this.#session?.whenBodyEnds ?? _platform_1.whenBodyEnds;
        watch?.(settled, { method, status: this.#status, signal, clock }, ended);
        return settled;
    }
    /** An abort while the body is read closes the connection as well. */
    #endFollowing(settled, failed) {
        const followed = this.followed;
        if (followed === undefined)
            return;
        if (failed || this.#bounded?.signal === undefined)
            followed.release();
        else
            this.#watch(settled, () => followed.release());
    }
    unsent(reason) {
        this.#request.cancelUpload(reason);
    }
    /** Ends the call. Closes its upload at once, or when the body of the response has ended. */
    end(settled, failed) {
        this.#endFollowing(settled, failed);
        const upload = this.#upload;
        if (upload === undefined)
            return;
        upload.stopKeeping();
        // Also a body that was made for an attempt that is not sent.
        if (failed || upload.isUnsent)
            upload.endAttempt();
        else if (upload.isOpen && !this.#isWatched)
            this.#watch(settled, () => upload.endAttempt());
    }
}
exports.Call = Call;
//# sourceMappingURL=call.js.map