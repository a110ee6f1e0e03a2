"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.arrivalsOf = arrivalsOf;
const distributions_ts_1 = require("../../engine/distributions.js");
const events_ts_1 = require("../../engine/events.js");
/** One Poisson process for the whole fleet: equal to one for each client, but only one event is pending. */
function openArrivals({ count, requestsPerSecond }, events, random) {
    const meanMs = 1_000 / requestsPerSecond;
    const next = () => events.add((0, distributions_ts_1.exponentialTime)(meanMs, random), events_ts_1.ARRIVAL, 0);
    return {
        start: next,
        arrive() {
            next();
            return Math.floor(random() * count);
        },
        ended() { },
    };
}
/** Each client thinks, sends a request, waits for its end, and thinks again. */
function closedArrivals(options, events, random) {
    const { count, thinkMs, requestsEach } = options;
    const left = requestsEach === undefined ? undefined : new Int32Array(count).fill(requestsEach);
    const think = (client) => {
        if (left !== undefined) {
            if (left[client] === 0)
                return;
            left[client] = left[client] - 1;
        }
        events.add((0, distributions_ts_1.exponentialTime)(thinkMs, random), events_ts_1.ARRIVAL, client);
    };
    return {
        start() {
            for (let client = 0; client < count; client += 1)
                think(client);
        },
        arrive: (client) => client,
        ended: think,
    };
}
/** The arrivals of an open or a closed fleet. */
function arrivalsOf(clients, events, random) {
    return 'thinkMs' in clients
        ? closedArrivals(clients, events, random)
        : openArrivals(clients, events, random);
}
//# sourceMappingURL=arrivals.js.map