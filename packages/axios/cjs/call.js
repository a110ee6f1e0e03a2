"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Call = void 0;
exports.callOf = callOf;
const adapter_1 = require("@ebb/core/adapter");
const attempt_timeout_ts_1 = require("./attempt-timeout.js");
const axios_copy_ts_1 = require("./axios-copy.js");
const peek_ts_1 = require("./body/peek.js");
const response_body_ts_1 = require("./body/response-body.js");
const config_changes_ts_1 = require("./config-changes.js");
const outcome_ts_1 = require("./outcome.js");
/** The call whose adapter has a config, and may pass it to another instance. A copy of the config refers to the same call. */
const CALL = Symbol.for('@ebb/axios call');
/** The call whose attempt is under way with a config, or with the one that it was copied from. */
function callOf(config) {
    const call = config[CALL];
    return call?.underWay === true ? call : undefined;
}
/**
 * One call of an axios method, and how each of its attempts is sent.
 *
 * The adapter gets the caller's config itself, not a copy, because the response or error must refer to that object.
 * What an attempt changes in it is restored when the attempt settles.
 */
class Call {
    underWay = false;
    policy;
    config;
    copy;
    #session;
    #traits;
    #adapter;
    #way;
    #body;
    #caller;
    #outer;
    /** The headers as they were before the first attempt, if there may be another. */
    #headers;
    /** The object whose place those with the changes of the attempt have. */
    #unchanged;
    /** The body that was made for the next attempt. */
    #made;
    /** True once the headers of the next attempt are those of the caller. */
    #isReset = false;
    /** The last attempt, if its adapter may go on after its timeout. */
    #late;
    #mark;
    constructor(session, traits, parts) {
        this.policy = parts.policy;
        this.config = traits.config;
        this.copy = parts.copy;
        this.#session = session;
        this.#traits = traits;
        this.#adapter = parts.route.adapter;
        this.#way = parts.route.way;
        this.#body = parts.body;
        this.#caller = parts.caller;
        this.#outer = parts.outer;
        this.#mark = parts.mark;
    }
    get signal() {
        return this.#caller?.signal;
    }
    get makeBody() {
        if (this.#session.policy.maxRetries > 0)
            this.#body.bufferForm();
        return this.#body.isReplaced ? this.#makeBody.bind(this) : undefined;
    }
    async #makeBody(state) {
        this.#reset(this.#session.attempt + 1);
        const data = await this.#body.next(this.config, () => state.over);
        if (!state.over)
            this.#made = { data };
    }
    timeoutError(timeoutMs) {
        return (0, attempt_timeout_ts_1.timeoutError)((0, axios_copy_ts_1.needCopy)(this.copy), this.config, timeoutMs);
    }
    send(session) {
        const timeoutMs = session.timeoutMs();
        this.#reset(session.attempt);
        this.#isReset = false;
        return timeoutMs === undefined ? this.#attempt() : this.#sendWithin(timeoutMs, session);
    }
    /** A method of its own: its closures are allocated as soon as it is called. */
    #sendWithin(timeoutMs, session) {
        const { clock } = session.policy;
        const error = () => this.timeoutError(session.namedTimeoutMs);
        const timedOut = () => {
            if (this.underWay)
                this.#late = new config_changes_ts_1.LateAttempt(this.config);
            this.#body.release();
        };
        const send = () => this.#attempt();
        return (0, attempt_timeout_ts_1.sendWithTimeout)({ timeoutMs, clock, error, config: this.config, send, timedOut });
    }
    /** Before an attempt: adapters write into the headers, a length and a boundary for example. */
    #reset(attempt) {
        if (this.#isReset)
            return;
        this.#isReset = true;
        if (this.#late !== undefined)
            this.#endLate();
        if (attempt > 1)
            this.config.headers = (0, config_changes_ts_1.copyWith)(this.config.headers, this.#headers);
        else if (this.#session.policy.maxRetries > 0)
            this.#headers = { ...this.config.headers };
    }
    #attempt() {
        const made = this.#made;
        this.#made = undefined;
        if (made !== undefined)
            this.config.data = made.data;
        // Aborted before its body was made.
        else if (this.#body.isReplaced)
            return Promise.reject(this.signal?.reason);
        return this.#dispatch(this.#session.headerChanges);
    }
    #dispatch(changes) {
        const { config } = this;
        if (changes !== undefined) {
            this.#unchanged = config.headers;
            config.headers = (0, config_changes_ts_1.changed)(config.headers, changes);
        }
        const adapter = this.#adapter;
        const way = this.#way;
        const { layer } = this.#session;
        if (way === 'client')
            this.#enter();
        if (layer === undefined)
            return adapter(config);
        // No layer below a socket reads a config.
        if (way !== 'socket')
            this.#markLayer(layer);
        return this.#session.sending(() => adapter(config));
    }
    #enter() {
        this.underWay = true;
        this.config[CALL] = this;
    }
    #markLayer(layer) {
        this.#mark ??= new config_changes_ts_1.LayerMark(this.config);
        this.#mark.set(layer);
    }
    /** Restores the config. */
    #leave() {
        this.#late?.release();
        this.#body.restore(this.config);
        if (this.#unchanged !== undefined) {
            this.config.headers = this.#unchanged;
            this.#unchanged = undefined;
        }
        this.#mark?.remove();
        if (!this.underWay)
            return;
        this.underWay = false;
        if (this.#outer === undefined)
            delete this.config[CALL];
        else
            this.config[CALL] = this.#outer;
    }
    outcome(response) {
        this.#leave();
        const { signal } = this;
        // The caller will get a CanceledError.
        if (signal?.aborted)
            return { type: 'failure', kind: 'aborted', error: signal.reason };
        return new outcome_ts_1.ResponseOutcome(response, this.#traits);
    }
    failure(error) {
        this.#leave();
        (0, adapter_1.remember)((0, adapter_1.property)(error, 'response'), this.#session.trace);
        return (0, outcome_ts_1.failureOf)(error, this.#traits);
    }
    peek(settled, maxBytes) {
        return (0, peek_ts_1.peekAt)(settled, maxBytes);
    }
    setAside(settled, session, signal) {
        this.#body.release();
        if (this.#late === undefined || signal?.aborted)
            return (0, response_body_ts_1.discardForRetry)(settled, session, signal);
        this.#enterLate(this.#late);
        const restore = () => {
            this.#endLate();
            return settled;
        };
        return { released: Promise.resolve(), restore };
    }
    #enterLate(late) {
        this.#enter();
        late.hold();
        const { layer } = this.#session;
        if (layer !== undefined)
            this.#markLayer(layer);
    }
    #endLate() {
        this.#leave();
        this.#late = undefined;
    }
    whenBodyEnds(settled, ended) {
        (0, response_body_ts_1.whenBodyEnds)(settled, this.#session.policy.clock, ended);
        return settled;
    }
    unsent(reason) {
        this.#body.closeUnsent(reason);
    }
    /** Ends an upload that the last attempt, which failed, has left unfinished. */
    closeUpload(response) {
        this.#body.closeUpload(response?.data, response?.request);
    }
    /** Restores the config after an abort, and removes the listeners from the caller's signal. */
    end() {
        this.#leave();
        // The body of an attempt that was not sent.
        if (this.#made !== undefined)
            this.#body.release();
        this.#caller?.release();
    }
}
exports.Call = Call;
//# sourceMappingURL=call.js.map