"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.checkExperiment = checkExperiment;
exports.runExperiment = runExperiment;
const check_ts_1 = require("../scenario/check.js");
const check_policy_ts_1 = require("../scenario/check-policy.js");
const check_scenario_ts_1 = require("../scenario/check-scenario.js");
const simulate_ts_1 = require("../simulation/simulate.js");
const text = (path, value) => {
    if (typeof value !== 'string')
        throw (0, check_ts_1.wrong)(path, 'a string', value);
};
const checkPolicies = (path, value) => {
    if (!(0, check_ts_1.isObject)(value) || Object.keys(value).length === 0) {
        throw (0, check_ts_1.wrong)(path, 'an object with a policy for each name', value);
    }
    (0, check_ts_1.fields)(Object.fromEntries(Object.keys(value).map((name) => [name, check_policy_ts_1.checkPolicy])))(path, value);
};
const checkFields = (0, check_ts_1.fields)({
    '?title': text,
    ...check_scenario_ts_1.SCENARIO_FIELDS,
    '?policy': check_policy_ts_1.checkPolicy,
    '?policies': checkPolicies,
});
/**
 * Checks an experiment, which may come from a file.
 * @throws ScenarioError whose message begins with the path of the wrong field
 */
function checkExperiment(value) {
    checkFields('', value);
    const experiment = value;
    (0, check_scenario_ts_1.checkIntervals)(experiment);
    if (experiment.policy !== undefined && experiment.policies !== undefined) {
        throw new check_ts_1.ScenarioError('policy and policies exclude each other: put the single policy into policies');
    }
}
/**
 * Runs an experiment, and returns a trace for each policy.
 * @throws ScenarioError for an invalid experiment
 */
function runExperiment(experiment, options = {}) {
    checkExperiment(experiment);
    const { title: _, policy = {}, policies = { policy }, ...scenario } = experiment;
    const { seed = 1, onProgress } = options;
    const names = Object.keys(policies);
    return names.map((name, at) => {
        const trace = (0, simulate_ts_1.simulate)({ ...scenario, policy: policies[name] }, { seed, onProgress: (share) => onProgress?.((at + share) / names.length) });
        return { name, trace };
    });
}
//# sourceMappingURL=experiment.js.map