"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.run = run;
exports.goOn = goOn;
const _platform_1 = require("#platform");
const history_ts_1 = require("./history.js");
const out_of_time_ts_1 = require("./out-of-time.js");
/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt.
 *
 * @throws what the last attempt of the client threw, unchanged
 * @throws the signal's reason, ThrottledError or HookError, as {@link Session.next} does
 */
function run(session, exchange, signal) {
    return new Run(session, exchange, signal).start();
}
/** Goes on with a request whose first attempt was sent, and has settled, before its session began. */
function goOn(session, exchange, value, failed) {
    session.begun();
    return new Run(session, exchange, undefined).settled(value, failed);
}
/** Drives a session with promises. */
class Run {
    #session;
    #exchange;
    #signal;
    /** What the last attempt resolved or rejected with. */
    #value;
    #failed = false;
    #aside;
    /** The layers below have this attempt's results from the end of that number on. */
    #since = 0;
    constructor(session, exchange, signal) {
        this.#session = session;
        this.#exchange = exchange;
        this.#signal = signal;
    }
    /** Most requests need one attempt and no wait. They get by with one promise. */
    start() {
        const step = this.#session.next('begin', this.#signal, undefined, this.#exchange.makeBody);
        if (step !== 'send')
            return this.#goOn(step);
        return this.#send().then((result) => this.settled(result, false), (error) => this.settled(error, true));
    }
    /** Goes on after the first attempt. */
    settled(value, failed) {
        let step;
        try {
            step = this.#judge(value, failed);
            if (step === 'finish')
                return this.#end();
        }
        catch (error) {
            throw this.#noted(error);
        }
        return this.#goOn(step);
    }
    async #goOn(from) {
        const session = this.#session;
        try {
            for (let step = from; step !== 'finish';) {
                // Here and not in functions of their own, each of which would make a promise.
                if (step === 'wait') {
                    const readiness = await session.waiting;
                    // The attempt ran into its timeout before it was sent.
                    const isLate = readiness instanceof out_of_time_ts_1.OutOfTime;
                    step = isLate ? this.#judgeLate(readiness) : session.next('woken', readiness);
                }
                else if (step === 'send') {
                    let value;
                    let failed = false;
                    try {
                        value = await this.#send();
                    }
                    catch (error) {
                        value = error;
                        failed = true;
                    }
                    step = this.#judge(value, failed);
                }
                else if (step === 'look')
                    step = await this.#look();
                else
                    step = this.#setAside();
            }
            return this.#end();
        }
        catch (error) {
            throw this.#noted(error);
        }
    }
    #send() {
        this.#since = (0, _platform_1.nextEnd)();
        try {
            // A base fetch may return something else than a promise, if it is a mock.
            return Promise.resolve(this.#exchange.send(this.#session));
        }
        catch (error) {
            return Promise.reject(error);
        }
    }
    #judgeLate({ timeoutMs }) {
        return this.#judge(this.#timeoutError(timeoutMs), true, 'timeout');
    }
    #setAside() {
        const session = this.#session;
        this.#aside = this.#exchange.setAside(this.#value, session, this.#signal);
        if (session.hasAnswered)
            this.answer = { value: this.#value, failed: this.#failed, aside: this.#aside };
        return session.next('begin', this.#signal, this.#aside?.released, this.#exchange.makeBody);
    }
    async #look() {
        const session = this.#session;
        const value = this.#value;
        const open = (maxBytes) => this.#exchange.peek?.(value, maxBytes);
        let outcome;
        try {
            outcome = await session.look(open, this.#signal);
        }
        catch (hookError) {
            session.fail(session.toLookAt, hookError);
            throw this.#dropped(hookError);
        }
        return this.#next('looked', outcome);
    }
    #judge(value, failed, kind) {
        const session = this.#session;
        this.#value = value;
        this.#failed = failed;
        const timedOut = kind && { type: 'failure', kind, error: value };
        const outcome = timedOut ?? (failed ? this.#failure(value) : this.#outcome(value));
        const isRepeated = this.#failed && session.failedBelow;
        if (isRepeated || (0, _platform_1.hasEndedBelow)(this.#value, this.#since)) {
            if (isRepeated && (0, history_ts_1.attemptsOf)(this.#value).length > 0)
                this.keepsTrace = true;
            session.pass(outcome);
            return 'finish';
        }
        return this.#next('settled', outcome);
    }
    #next(event, outcome) {
        const { answer } = this;
        try {
            return this.#session.next(event, outcome, answer !== undefined && answer.aside?.isLost !== true);
        }
        catch (hookError) {
            throw this.#dropped(hookError);
        }
    }
    /** Aborted at once: the caller gets the error now, and nothing of the request may go on after that. */
    #dropped(hookError) {
        this.#exchange.setAside(this.#value, this.#session, AbortSignal.abort());
        return hookError;
    }
    #timeoutError(timeoutMs) {
        return this.#exchange.timeoutError?.(timeoutMs) ?? (0, out_of_time_ts_1.timeoutError)(timeoutMs);
    }
    #outcome(result) {
        try {
            return this.#exchange.outcome(result);
        }
        catch (error) {
            // The getters of some mocks throw.
            this.#value = error;
            this.#failed = true;
            return this.#failure(error);
        }
    }
    #failure(error) {
        return this.#signal?.aborted
            ? { type: 'failure', kind: 'aborted', error }
            : this.#exchange.failure(error);
    }
    /** Ends with the last attempt, whose slot is released once its body has ended, or with the answer before it. */
    #end() {
        const session = this.#session;
        const before = session.isUnsent
            ? { value: this.#value, failed: this.#failed, aside: this.#aside }
            : session.fallsBack
                ? this.answer
                : undefined;
        if (before !== undefined)
            this.#failed = before.failed;
        const result = before === undefined
            ? session.holdsSlot
                ? this.#releasingSlot()
                : this.#value
            : (before.aside?.restore?.() ?? before.value);
        if (!session.isInner)
            (0, _platform_1.noteEnd)(result);
        if (this.#failed)
            throw result;
        (0, history_ts_1.remember)(result, session.trace);
        return result;
    }
    #releasingSlot() {
        const session = this.#session;
        // Hazard: it must not hold `this`, which would keep the response from being collected.
        const ended = () => session.bodyEnded();
        if (this.#exchange.whenBodyEnds !== undefined)
            return this.#exchange.whenBodyEnds(this.#value, ended);
        ended();
        return this.#value;
    }
    /** An error that the request ends with, with its history. */
    #noted(thrown) {
        const session = this.#session;
        const error = thrown instanceof out_of_time_ts_1.OutOfTime ? this.#timeoutError(thrown.timeoutMs) : thrown;
        if (session.attempt === 0)
            this.#exchange.unsent?.(error);
        if (this.keepsTrace)
            return error;
        if (this.#signal?.aborted && error === this.#signal.reason)
            (0, history_ts_1.rememberReason)(error, session.trace);
        else
            (0, history_ts_1.remember)(error, session.trace);
        return error;
    }
}
//# sourceMappingURL=run.js.map