"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.OTHER_RULES = exports.ARTICLE_RULES = exports.ARTICLE_RACE = void 0;
exports.articleRules = articleRules;
exports.compareRules = compareRules;
const core_1 = require("@ebb/core");
const optimistic_lock_ts_1 = require("./optimistic-lock.js");
/** The article's own settings. */
exports.ARTICLE_RACE = {
    baseMs: 5,
    capMs: 2_000,
    clients: Array.from({ length: 19 }, (_, at) => 10 * (at + 1)),
    networkMeanMs: 10,
    networkDeviationMs: 2,
};
/** Memorystore's rule, a hundred times as fast: 10 ms · 2^n + 0…10 ms, at most 640 ms. */
function scaledMemorystore() {
    const seconds = (0, core_1.memorystore)();
    return (step) => seconds(step) / 100;
}
/**
 * The five rules of "Exponential Backoff And Jitter" (Marc Brooker, AWS Architecture Blog, 2015).
 *
 * The article's program increments its counter before the formula, so its base of 5 ms gives a first wait of 5 · 2^1 ms.
 * Core's rules start at base · 2^0, which takes a base of 10 ms. Decorrelated jitter has no counter and keeps the 5 ms.
 */
function articleRules({ baseMs, capMs, }) {
    const curve = { baseMs: 2 * baseMs, capMs };
    return [
        { name: 'None', backoff: (0, core_1.constant)(0) },
        { name: 'Exponential', backoff: (0, core_1.exponential)(curve) },
        { name: 'Equal jitter', backoff: (0, core_1.equalJitter)(curve) },
        { name: 'Full jitter', backoff: (0, core_1.fullJitter)(curve) },
        { name: 'Decorrelated', backoff: (0, core_1.decorrelatedJitter)({ baseMs, capMs }) },
    ];
}
/** These rules with the article's own base and cap. */
exports.ARTICLE_RULES = articleRules(exports.ARTICLE_RACE);
/** Rules that are not in the article, on the same time scale. */
exports.OTHER_RULES = [
    { name: 'Memorystore', backoff: scaledMemorystore() },
    { name: 'Celery', backoff: (0, core_1.celery)({ factorMs: 2 * exports.ARTICLE_RACE.baseMs, maximumMs: exports.ARTICLE_RACE.capMs }) },
    // 255 slots stay below the cap of the others. Without a limit of attempts every client gets through.
    {
        name: 'Ethernet',
        backoff: (0, core_1.binaryExponential)({ slotMs: 5, maxExponent: 8, attemptLimit: Number.MAX_SAFE_INTEGER }),
    },
];
/** Runs {@link raceForLock} for each rule and each number of clients. */
function compareRules(comparison = {}) {
    const { rules = exports.ARTICLE_RULES, runs = 100, seed = 1, onProgress } = comparison;
    const { clients, networkMeanMs, networkDeviationMs } = { ...exports.ARTICLE_RACE, ...comparison };
    const network = { networkMeanMs, networkDeviationMs };
    const points = [];
    for (const [ruleAt, { name, backoff }] of rules.entries()) {
        for (const [at, count] of clients.entries()) {
            // Each point has its own seed, so that it does not depend on the other points.
            const pointSeed = seed * 1_000_003 + ruleAt * 1_009 + count;
            points.push({
                rule: name,
                ...(0, optimistic_lock_ts_1.raceForLock)({ ...network, clients: count, backoff, runs, seed: pointSeed }),
            });
            onProgress?.((ruleAt * clients.length + at + 1) / (rules.length * clients.length));
        }
    }
    return points;
}
//# sourceMappingURL=comparison.js.map