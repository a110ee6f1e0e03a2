"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Delays = exports.RaceState = void 0;
const ziggurat_ts_1 = require("../engine/ziggurat.js");
/** The state of all clients that still race, in an array for each number. Clients that are done leave the arrays. */
class RaceState {
    readAtMs;
    writeAtMs;
    previousMs;
    failures;
    constructor(clients) {
        this.readAtMs = new Float64Array(clients);
        this.writeAtMs = new Float64Array(clients);
        this.previousMs = new Float64Array(clients);
        this.failures = new Int32Array(clients);
    }
    /** Moves the last client to the place of a client that is done. */
    replace(client, last) {
        this.readAtMs[client] = this.readAtMs[last];
        this.writeAtMs[client] = this.writeAtMs[last];
        this.previousMs[client] = this.previousMs[last];
        this.failures[client] = this.failures[last];
    }
}
exports.RaceState = RaceState;
/** Network delays, one for each message. They are drawn in blocks and taken four at a time. */
class Delays {
    block = new Float64Array(4_096);
    at = this.block.length;
    #fill;
    #meanMs;
    #deviationMs;
    constructor(seed, meanMs, deviationMs) {
        this.#fill = (0, ziggurat_ts_1.normalSource)(seed);
        this.#meanMs = meanMs;
        this.#deviationMs = deviationMs;
    }
    /** The index of the next four in the block. */
    next() {
        if (this.at === this.block.length) {
            this.#fill(this.block, this.#meanMs, this.#deviationMs);
            this.at = 0;
        }
        this.at += 4;
        return this.at - 4;
    }
}
exports.Delays = Delays;
//# sourceMappingURL=race-state.js.map