"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Driver = void 0;
const node_async_hooks_1 = require("node:async_hooks");
const core_1 = require("@ebb/core");
const adapter_1 = require("@ebb/core/adapter");
const aside_ts_1 = require("./aside.js");
const controller_ts_1 = require("./controller.js");
const downstream_ts_1 = require("./downstream.js");
const errors_ts_1 = require("./errors.js");
const judge_ts_1 = require("./judge.js");
const send_ts_1 = require("./send.js");
const traits_ts_1 = require("./traits.js");
/**
 * Drives a request: waits, sends an attempt, and from what came of it looks, sets aside or finishes. Retries and callbacks of
 * the policy run in the async context of the request; the handler is called as undici calls it.
 */
class Driver extends node_async_hooks_1.AsyncResource {
    composition;
    options;
    body;
    session;
    downstream;
    download;
    /** Ends a wait. Made when it is needed: a request that waits for nothing has none. */
    #abort;
    #attempt;
    /** True while no attempt is under way, before the first attempt and before a retry. */
    #isWaiting = false;
    /** True until the caller's `dispatch` returns. */
    #isDispatching = true;
    /** What the request ends with if the retry that is planned is not sent. */
    #previous;
    /** The last response that a retry followed. */
    #answer;
    /** Plays it, once it is the result. */
    #playback;
    constructor(composition, options, body, session, handler, path) {
        // The default, which takes Node twice as long if it is not given.
        super('EbbRequest', (0, node_async_hooks_1.executionAsyncId)());
        this.composition = composition;
        this.options = options;
        this.body = body;
        this.session = session;
        this.downstream = new downstream_ts_1.Downstream(handler, new controller_ts_1.Controller(this), session, path);
    }
    /**
     * Returns, as `dispatch` does, whether the caller may go on dispatching.
     *
     * @throws what the dispatcher throws, or what the handler throws when it is given an error
     */
    start() {
        try {
            const { bucket, concurrency, beforeAttempt } = this.session.policy;
            const make = this.body?.make;
            // The first attempt waits for nothing else.
            const canWait = (bucket ?? concurrency ?? beforeAttempt ?? make) !== undefined;
            const waiting = this.session.ready(canWait ? this.#signalIfNeeded() : undefined, undefined, make);
            if (waiting === undefined)
                return this.#send();
            this.#sendAfter(waiting);
            this.downstream.begin();
            return true;
        }
        finally {
            this.#isDispatching = false;
        }
    }
    /** A method of its own: a function that holds `this` costs memory as soon as the method around it is called. */
    #signalIfNeeded() {
        return () => this.#waits.signal;
    }
    get #waits() {
        this.#abort ??= new AbortController();
        return this.#abort;
    }
    wait(end, released = Promise.resolve()) {
        this.#attempt?.releaseBody();
        this.#previous = end;
        this.runInAsyncScope(this.#waitAndSend, this, released);
        // An attempt that had no connection has not started the handler.
        this.downstream.begin();
    }
    #waitAndSend(released) {
        const waiting = this.session.ready(this.#waits.signal, released, this.body?.make);
        this.#sendAfter(waiting ?? Promise.resolve(true));
    }
    #sendAfter(waiting) {
        this.#isWaiting = true;
        waiting.then((isReady) => {
            if (isReady === true)
                this.#send();
            else if (isReady !== false)
                this.#judgeUnsent((0, errors_ts_1.headersTimeoutError)(isReady.timeoutMs));
            else if (this.#previous !== undefined)
                this.finish(this.#previous);
        }, (error) => this.#fail(error instanceof adapter_1.OutOfTime ? (0, errors_ts_1.headersTimeoutError)(error.timeoutMs) : error));
    }
    /** An attempt has run into its timeout before it was sent. */
    #judgeUnsent(error) {
        const outcome = { type: 'failure', kind: 'timeout', error, redirected: false };
        this.#follow(this.judge(undefined, outcome), error);
    }
    #send() {
        const { downstream, session } = this;
        const attempt = this.makeAttempt();
        attempt.mirror(downstream.handler, this.options);
        this.#isWaiting = false;
        this.#attempt = attempt;
        const { aborted, reason } = downstream.controller;
        if (aborted) {
            attempt.abort(reason);
            return true;
        }
        const timeoutMs = session.timeoutMs();
        if (timeoutMs !== undefined)
            attempt.limit(session.policy.clock, timeoutMs, session.namedTimeoutMs);
        return (0, send_ts_1.send)(this, attempt, this.#isDispatching);
    }
    started(attempt, context) {
        // From here on this attempt determines the result.
        this.#previous = undefined;
        this.downstream.start(context, attempt.starts > 1);
    }
    judge(attempt, outcome) {
        let retry;
        try {
            // A handler that is receiving a response cannot be given another one.
            const hasAnswer = this.download === undefined && this.#answer?.isComplete === true;
            retry = (0, judge_ts_1.judgeIn)(this, this.session, outcome, hasAnswer);
        }
        catch (hookError) {
            this.giveUp(attempt, hookError);
            return undefined;
        }
        return this.downstream.over ? undefined : retry;
    }
    setAside(attempt, head, held) {
        const { session, download } = this;
        const aside = attempt.setAside(head, session, held);
        if (download?.brokenBy === undefined)
            this.#answer = aside;
        this.wait(download?.brokenBy ?? aside, aside.released);
    }
    failed(attempt, error) {
        const { controller, threw } = this.downstream;
        // An error that the handler throws ends its request, even if `classify` would retry it.
        if (threw)
            this.#waits.abort(error);
        if (attempt.isQueued && !this.#isWaiting)
            this.body?.abandoned?.();
        const kind = controller.aborted ? 'aborted' : threw ? 'unknown' : (0, traits_ts_1.failureKindOf)(attempt, error);
        const retry = this.judge(attempt, (0, traits_ts_1.failureOutcome)(attempt, kind, error, this.options));
        const isUnsent = attempt.starts === 0 && (0, errors_ts_1.isClosedError)(error);
        if (retry === false && isUnsent && this.#previous !== undefined)
            this.finish(this.#previous);
        else
            this.#follow(retry, error);
    }
    /** After a failed attempt: waits for the retry, or ends, after the total timeout with the last response before it. */
    #follow(retry, error) {
        if (retry)
            this.wait(error);
        else if (retry === false)
            this.finish((this.session.fallsBack ? this.#answer : undefined) ?? error);
    }
    finish(end) {
        if (end instanceof aside_ts_1.Aside)
            this.#play(end);
        else if (typeof end === 'function')
            end();
        else
            this.#fail(end);
    }
    #play(aside) {
        const { downstream } = this;
        if (downstream.over)
            return;
        if (!aside.isOver) {
            // The policy has stopped while the response is still being read.
            void aside.released.then(() => this.#play(aside));
            return;
        }
        this.body?.close?.();
        const { status, headers, message } = aside.head;
        const playback = aside.held(downstream);
        this.#playback = playback;
        playback.start(() => downstream.respond(playback, status, headers, message));
    }
    /** Ends with an error: for a download that was not resumed, with the error that broke it. */
    #fail(error) {
        const { controller, threw, over } = this.downstream;
        if (over)
            return;
        const isLocal = controller.aborted || threw || error instanceof core_1.HookError;
        const reported = isLocal ? error : (this.download?.brokenBy ?? error);
        this.#attempt?.releaseBody();
        this.body?.close?.();
        if (controller.aborted)
            (0, adapter_1.rememberReason)(reported, this.session.trace);
        else
            (0, adapter_1.remember)(reported, this.session.trace);
        this.session.bodyEnded();
        try {
            this.downstream.fail(reported, this.#attempt?.connection);
        }
        finally {
            if (this.#isWaiting)
                this.body?.unsent?.(reported);
        }
    }
    giveUp(attempt, error) {
        try {
            this.#fail(error);
        }
        finally {
            attempt?.drop(error);
        }
    }
    aborted(reason) {
        if (this.downstream.over)
            return;
        const error = reason ?? (0, errors_ts_1.requestAbortedError)();
        const attempt = this.#attempt;
        this.#waits.abort(error);
        if (this.#playback !== undefined) {
            this.#playback.abort(error);
        }
        else if (!this.#isWaiting && attempt !== undefined) {
            attempt.abort(reason);
        }
        else {
            try {
                this.#fail(error);
            }
            finally {
                attempt?.abort(error);
            }
        }
    }
}
exports.Driver = Driver;
//# sourceMappingURL=driver.js.map