"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Simulation = void 0;
const testing_1 = require("@ebb/core/testing");
const events_ts_1 = require("../engine/events.js");
const simulation_clock_ts_1 = require("../engine/simulation-clock.js");
const ziggurat_ts_1 = require("../engine/ziggurat.js");
const measures_ts_1 = require("../measure/measures.js");
const check_ts_1 = require("../scenario/check.js");
const arrivals_ts_1 = require("./clients/arrivals.js");
const clients_ts_1 = require("./clients/clients.js");
const fleet_ts_1 = require("./clients/fleet.js");
const requests_ts_1 = require("./clients/requests.js");
const outcomes_ts_1 = require("./outcomes.js");
const server_ts_1 = require("./server/server.js");
/** Events between two calls of {@link OnProgress}. */
const PROGRESS_EVERY = 1 << 16;
/** More events than both of these at one time, the second for each open request, mean that time stands still. */
const MOST_AT_ONCE = 1_000_000;
const MOST_FOR_EACH = 16;
function timeStandsStill(atMs) {
    return new check_ts_1.ScenarioError(`policy.backoff lets no time pass at ${atMs} ms: retries without delay that are refused without delay never end; ` +
        'give the scenario a network');
}
/** One run of a scenario. */
class Simulation {
    eventCount = 0;
    measures;
    #endMs;
    #intervalMs;
    #events;
    #arrivals;
    #clients;
    #server;
    constructor(scenario, seed) {
        const { clients, durationMs, intervalMs = 1_000, network } = scenario;
        this.#endMs = durationMs;
        this.#intervalMs = intervalMs;
        this.measures = new measures_ts_1.Measures(Math.ceil(durationMs / intervalMs));
        const clock = new simulation_clock_ts_1.SimulationClock();
        const requests = new requests_ts_1.Requests();
        const events = new events_ts_1.Events(clock, dayOf(scenario), (subject) => requests.touch(subject));
        this.#events = events;
        // A random stream for each part, so that every policy meets the same requests.
        const stream = (name) => (0, testing_1.seededRandom)(seed * 7_919 + name);
        const arrivals = (0, arrivals_ts_1.arrivalsOf)(clients, events, stream(1));
        this.#arrivals = arrivals;
        const delay = network && (0, ziggurat_ts_1.delaySource)(seed * 7_919 + 4, network.meanMs, network.deviationMs ?? 0);
        this.#server = new server_ts_1.Server(scenario.server, {
            random: stream(3),
            finishIn: (ms, job, stamp, epoch) => events.add(ms, events_ts_1.FINISH, job, stamp, epoch),
            answer: (job, stamp, outcome) => {
                if (delay === undefined)
                    this.#clients.learn(job, stamp, outcome);
                else
                    events.add(delay(), events_ts_1.ANSWER, job, stamp, outcome);
            },
        });
        const server = this.#server;
        this.#clients = new clients_ts_1.Clients(clients.count, (0, fleet_ts_1.fleetOf)(scenario, { clock, random: stream(2) }), requests, events, this.measures, {
            send(request, stamp) {
                if (delay === undefined)
                    server.receive(request, stamp, events.nowMs);
                else
                    events.add(delay(), events_ts_1.REACH, request, stamp);
            },
            ended: (client) => arrivals.ended(client),
        });
    }
    run(onProgress) {
        const events = this.#events;
        const endMs = this.#endMs;
        for (const atMs of this.#server.moments)
            if (atMs < endMs)
                events.add(atMs, events_ts_1.CHANGE, 0);
        this.#arrivals.start();
        let eventsNow = 0;
        let closesAtMs = Math.min(this.#intervalMs, endMs);
        for (;;) {
            const atMs = events.nextAtMs;
            while (closesAtMs <= atMs && closesAtMs <= endMs) {
                this.measures.close(this.#server.queue, this.#server.busy, this.#clients.requests.open);
                closesAtMs =
                    closesAtMs === endMs ? Number.POSITIVE_INFINITY : Math.min(closesAtMs + this.#intervalMs, endMs);
            }
            if (atMs >= endMs)
                break;
            if (atMs > events.nowMs)
                eventsNow = 0;
            eventsNow += 1;
            if (eventsNow > MOST_AT_ONCE && eventsNow > MOST_FOR_EACH * this.#clients.requests.open) {
                throw timeStandsStill(atMs);
            }
            events.next();
            this.#happen();
            this.eventCount += 1;
            if (this.eventCount % PROGRESS_EVERY === 0)
                onProgress?.(atMs / endMs, this.measures.series);
        }
        onProgress?.(1, this.measures.series);
    }
    #happen() {
        const events = this.#events;
        const { subject } = events;
        switch (events.kind) {
            case events_ts_1.ARRIVAL:
                this.#clients.begin(this.#arrivals.arrive(subject));
                break;
            case events_ts_1.SEND:
                this.#clients.ready(subject);
                break;
            case events_ts_1.REACH:
                this.#server.receive(subject, events.stamp, events.nowMs);
                break;
            case events_ts_1.FINISH:
                this.#server.finish(subject, events.stamp, events.beside);
                break;
            case events_ts_1.ANSWER:
                this.#clients.learn(subject, events.stamp, events.beside);
                break;
            case events_ts_1.TIMEOUT:
                this.#clients.learn(subject, events.stamp, outcomes_ts_1.TIMED_OUT);
                break;
            case events_ts_1.LOOK:
                this.#clients.look(subject);
                break;
            case events_ts_1.EXPIRE:
                this.#clients.expire(subject, events.stamp);
                break;
            case events_ts_1.CHANGE:
                this.#server.change(events.nowMs);
        }
    }
}
exports.Simulation = Simulation;
/** The length of a day of the event calendar, in milliseconds: a day should hold a few dozen events. */
function dayOf({ clients, server }) {
    const served = (server.workers * 1_000) / server.serviceMs;
    const asked = 'thinkMs' in clients ? (clients.count * 1_000) / Math.max(1, clients.thinkMs) : clients.requestsPerSecond;
    return Math.min(100, Math.max(1e-3, 8_000 / Math.min(asked, 2 * served)));
}
//# sourceMappingURL=simulation.js.map