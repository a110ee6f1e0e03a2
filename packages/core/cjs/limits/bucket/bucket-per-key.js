"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.bucketPerKey = bucketPerKey;
const per_key_ts_1 = require("../per-key.js");
const per_key_options_ts_1 = require("../per-key-options.js");
const closing_ts_1 = require("./closing.js");
const options_ts_1 = require("./options.js");
const token_bucket_ts_1 = require("./token-bucket.js");
class Buckets extends per_key_ts_1.KeyMap {
    #closed;
    constructor(make, setup) {
        const makeForKey = (key) => {
            const bucket = make(key);
            if (this.#closed !== undefined)
                void bucket.close(this.#closed);
            return bucket;
        };
        super(makeForKey, (bucket) => this.#isIdle(bucket), setup);
    }
    /** A closed bucket without a queue is as good as new once new buckets are closed as well. */
    #isIdle(bucket) {
        const { idle, waiting } = bucket.stats();
        return idle || (this.#closed !== undefined && waiting === 0);
    }
    async idle() {
        for (let busy = this.#busy(); busy.length > 0; busy = this.#busy()) {
            await Promise.all(busy.map((bucket) => bucket.idle()));
        }
    }
    #busy() {
        return [...this.values()].filter((bucket) => bucket.stats().waiting > 0);
    }
    async close(options) {
        const waiting = (0, closing_ts_1.waitingAtClose)(options);
        this.#closed = { waiting };
        await Promise.all([...this.values()].map((bucket) => bucket.close({ waiting })));
    }
}
function bucketPerKey(...given) {
    const { make, setup } = (0, per_key_options_ts_1.readPerKey)('bucketPerKey', given, options_ts_1.BUCKET_OPTIONS, (options) => {
        const bucket = (0, options_ts_1.bucketSetup)(options);
        return () => new token_bucket_ts_1.Bucket(bucket);
    });
    return new Buckets(make, setup);
}
//# sourceMappingURL=bucket-per-key.js.map