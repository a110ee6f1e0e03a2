"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.FeedbackReader = void 0;
const jitter_ts_1 = require("../../http/jitter.js");
const origin_ts_1 = require("../../http/origin.js");
const server_feedback_ts_1 = require("../../http/server-feedback.js");
const quiet_origins_ts_1 = require("./quiet-origins.js");
/** Reads for a bucket what servers say about their quotas. */
class FeedbackReader {
    #rules;
    /** Its clock may change. */
    #time;
    #quiet;
    constructor(rules, time) {
        this.#rules = rules;
        this.#time = time;
    }
    /**
     * What an outcome says about a quota; `undefined` for nothing.
     *
     * @throws HookError if `feedback` throws, or returns an invalid value
     */
    read(outcome, grant, request, ofPolicy = server_feedback_ts_1.serverFeedback) {
        const { feedback: own } = this.#rules;
        const feedback = own === server_feedback_ts_1.serverFeedback ? ofPolicy : own;
        const isSuccess = outcome.type === 'response' && outcome.status < 300 && outcome.judgement === undefined;
        // A custom `feedback` sees every outcome.
        const mayIgnore = isSuccess && request !== undefined && feedback === server_feedback_ts_1.serverFeedback;
        if (!mayIgnore)
            return this.#readAll(feedback, outcome, grant);
        const origin = (0, origin_ts_1.originOf)(sourceOf(outcome) ?? request);
        this.#quiet ??= new quiet_origins_ts_1.QuietOrigins();
        if (this.#quiet.mayIgnore(origin, grant.grantedAtMs))
            return undefined;
        const said = this.#readAll(feedback, outcome, grant);
        if (said !== undefined)
            this.#quiet.heard(origin);
        return said;
    }
    #readAll(feedback, outcome, { cost }) {
        const { clock } = this.#time;
        return feedback === false ? undefined : (0, server_feedback_ts_1.readFeedback)(feedback, outcome, clock.now(), cost);
    }
    /**
     * The pause that is asked for, in milliseconds, with some jitter on top so that a fleet does not return together; 0 for
     * none.
     */
    pauseMs(said) {
        // A custom `feedback` may return something that is not a number.
        if (said === undefined || !(said.pauseMs > 0))
            return 0;
        const { maxPauseMs, random } = this.#rules;
        return (0, jitter_ts_1.withJitter)(Math.min(said.pauseMs, maxPauseMs), random);
    }
    /** The origin that a pause is for; `undefined` for all requests of the bucket. */
    pausedOrigin(outcome, request) {
        const source = sourceOf(outcome) ?? request;
        const forAll = this.#rules.feedbackScope === 'bucket' || source === undefined;
        return forAll ? undefined : (0, origin_ts_1.originOf)(source);
    }
}
exports.FeedbackReader = FeedbackReader;
/** Where a response came from, if the client reports it: a redirect may have led to another origin. */
function sourceOf(outcome) {
    const url = outcome.type === 'response' ? outcome.url : undefined;
    return url === undefined ? undefined : { url };
}
//# sourceMappingURL=feedback-reader.js.map