"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.sreThrottling = exports.awsStandard = exports.finagle = exports.grpcA6 = void 0;
const core_1 = require("@ebb/core");
const window_count_ts_1 = require("./window-count.js");
/** A budget whose balance is kept elsewhere. */
function budget(balance, spend, earn = () => { }) {
    return (0, core_1.ownBudget)({
        get balance() {
            return Math.max(0, Math.floor(balance()));
        },
        deposit: earn,
        withdraw() {
            if (balance() < 1)
                return false;
            spend();
            return true;
        },
    });
}
function succeeded(outcome) {
    return outcome.type === 'response' && outcome.status < 400;
}
/**
 * gRPC with the settings of the examples in its proposal: four attempts, after random waits of up to 100, 200 and
 * 400 ms. There are ten tokens. A failure takes one, a success adds a tenth, and below half of them nothing is retried.
 *
 * Source: gRPC proposal A6, "Client Retries", sections "Exponential Backoff" and "Throttling Retry Attempts".
 */
const grpcA6 = () => {
    const [maxTokens, tokenRatio] = [10, 0.1];
    let tokens = maxTokens;
    return {
        policy: {
            maxRetries: 3,
            backoff: (0, core_1.fullJitter)({ baseMs: 100, capMs: 1_000 }),
            budget: budget(() => (tokens > maxTokens / 2 ? 1 : 0), () => { }),
        },
        onOutcome(outcome) {
            tokens = succeeded(outcome) ? Math.min(maxTokens, tokens + tokenRatio) : Math.max(0, tokens - 1);
        },
    };
};
exports.grpcA6 = grpcA6;
/**
 * Finagle's default: retries at once, up to a fifth of the requests of the last ten seconds plus ten per second. One
 * request may make up to 20 retries, a fifth of the reserve.
 *
 * Source: twitter/finagle, RetryBudget.scala and RequeueFilter.scala; user guide, "Retries".
 */
const finagle = ({ clock }) => {
    const [share, reservePerSecond, windowMs] = [0.2, 10, 10_000];
    const reserve = (reservePerSecond * windowMs) / 1_000;
    const account = new window_count_ts_1.WindowCount(clock, windowMs, 10);
    return {
        policy: {
            maxRetries: share * reserve,
            backoff: (0, core_1.constant)(0),
            budget: budget(() => reserve + account.sum + 1e-9, () => account.add(-1)),
        },
        onRequest: () => account.add(share),
    };
};
exports.finagle = finagle;
/**
 * The standard mode of the AWS SDKs with the defaults of 2026: three attempts, after random waits of up to 50 and
 * 100 ms (1 and 2 s after a 429). There are 500 tokens. A retry takes 14 (5 after a 429), a retry that succeeds returns
 * them, and a request that succeeds at once adds one.
 *
 * Source: AWS SDKs and Tools Reference Guide, "Retry behavior"; "Announcing updated retry behavior for AWS SDKs
 * and Tools", AWS Developer Tools Blog, 2026.
 */
const awsStandard = () => {
    const [capacity, transientCost, throttlingCost] = [500, 14, 5];
    const transient = (0, core_1.fullJitter)({ baseMs: 50, capMs: 20_000 });
    const throttling = (0, core_1.fullJitter)({ baseMs: 1_000, capMs: 20_000 });
    let tokens = capacity;
    let cost = transientCost;
    return {
        policy: {
            maxRetries: 2,
            backoff: (step) => (cost === throttlingCost ? throttling : transient)(step),
            budget: budget(() => tokens / cost, () => {
                tokens -= cost;
            }),
        },
        onOutcome(outcome, attempt) {
            // A successful retry returns its cost, which the failure before it has set.
            if (succeeded(outcome))
                tokens = Math.min(capacity, tokens + (attempt === 1 ? 1 : cost));
            else
                cost = outcome.type === 'response' && outcome.status === 429 ? throttlingCost : transientCost;
        },
    };
};
exports.awsStandard = awsStandard;
/**
 * Google's clients: each refuses its own requests with a probability of (requests − 2·accepts) / (requests + 1), over
 * two minutes. Three attempts without waits, and retries for at most a tenth of the requests.
 *
 * Source: "Site Reliability Engineering", chapter 21, "Client-Side Throttling" and "Deciding to Retry".
 */
const sreThrottling = ({ clock, random }) => {
    const [windowMs, slots, multiplier, retryShare] = [120_000, 12, 2, 0.1];
    const requests = new window_count_ts_1.WindowCount(clock, windowMs, slots);
    const accepts = new window_count_ts_1.WindowCount(clock, windowMs, slots);
    const retries = new window_count_ts_1.WindowCount(clock, windowMs, slots);
    return {
        policy: {
            maxRetries: 2,
            backoff: (0, core_1.constant)(0),
            budget: budget(() => (retries.sum < retryShare * requests.sum ? 1 : 0), () => retries.add(1)),
        },
        admit() {
            const asked = requests.sum;
            requests.add(1);
            return random() >= (asked - multiplier * accepts.sum) / (asked + 1);
        },
        onOutcome(outcome) {
            if (succeeded(outcome))
                accepts.add(1);
        },
    };
};
exports.sreThrottling = sreThrottling;
//# sourceMappingURL=schemes.js.map