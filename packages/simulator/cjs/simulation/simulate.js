"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.simulate = simulate;
const recovery_ts_1 = require("../measure/recovery.js");
const check_scenario_ts_1 = require("../scenario/check-scenario.js");
const simulation_ts_1 = require("./simulation.js");
/**
 * Runs a scenario in virtual time. Core's `decide` judges every answer, and the arithmetic of core's token bucket
 * counts every token. The same seed gives the same trace.
 *
 * @throws ScenarioError for an invalid scenario
 */
function simulate(scenario, options = {}) {
    const { seed = 1, onProgress } = options;
    (0, check_scenario_ts_1.checkScenario)(scenario);
    const simulation = new simulation_ts_1.Simulation(scenario, seed);
    simulation.run(onProgress);
    const { latency, tokenWait, series, totals } = simulation.measures;
    return {
        seed,
        intervalMs: scenario.intervalMs ?? 1_000,
        series,
        totals,
        amplification: totals.requests === 0 ? 0 : totals.sends / totals.requests,
        latencyMs: latency.quantiles(),
        tokenWaitMs: tokenWait.quantiles(),
        recovery: (0, recovery_ts_1.recoveryOf)(scenario, series),
        events: simulation.eventCount,
    };
}
//# sourceMappingURL=simulate.js.map