"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.valkeyBucket = valkeyBucket;
const bucket_1 = require("@ebb/core/bucket");
const fleet_tokens_ts_1 = require("./fleet-tokens.js");
const options_ts_1 = require("./options.js");
class FleetBucket extends bucket_1.WaitingBucket {
    constructor(setup) {
        super(setup, (time, queue, onChange) => new fleet_tokens_ts_1.FleetTokens(setup, time, queue, onChange), (tokens, tally) => (0, bucket_1.originGate)({ ...setup, tally }, setup, tokens));
    }
    stats() {
        const { mode, leased, processes, calls } = this.source;
        return { ...super.stats(), mode, leased, processes, calls };
    }
    [Symbol.asyncDispose]() {
        return this.close();
    }
}
/**
 * A token bucket in Valkey or Redis that all processes with the same key share: in any window of
 * time at most `capacity + rate · window` tokens are leased to them all together.
 *
 * @throws TypeError, RangeError for an invalid option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBucket } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * // 500 requests per second for all processes together.
 * const client = new Redis('redis://localhost:6379');
 * const bucket = valkeyBucket({ client, key: 'api.example.com', refillPerSecond: 500 });
 * const fetch = createFetch({ bucket });
 * ```
 */
function valkeyBucket(options) {
    return new FleetBucket((0, options_ts_1.fleetSetup)(options));
}
//# sourceMappingURL=bucket.js.map