"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.watchConnection = watchConnection;
const bucket_1 = require("@ebb/core/bucket");
const store_error_ts_1 = require("./store-error.js");
/**
 * The event that Node emits before `error`. A listener for `error` itself would change how the program behaves: ioredis
 * prints errors that have no listener, and node-redis ends the process.
 */
function errorMonitor() {
    const events = typeof process === 'object' ? process.getBuiltinModule?.('node:events') : undefined;
    const monitor = (0, bucket_1.property)(events, 'errorMonitor');
    return typeof monitor === 'symbol' ? monitor : undefined;
}
class WatchedClient {
    #client;
    #listeners;
    #last;
    users = 0;
    constructor(client) {
        this.#client = client;
        const keep = (error) => {
            this.#last = (0, store_error_ts_1.withoutSecrets)(error);
        };
        const monitor = errorMonitor();
        this.#listeners = [
            ...(monitor === undefined ? [] : [[monitor, keep]]),
            // The clusters of iovalkey and ioredis emit `node error`, that of node-redis `node-error`.
            ['node error', keep],
            ['node-error', keep],
            // Without an `error` listener iovalkey and ioredis do not emit errors, but their socket keeps the last.
            ['close', () => this.#keepSocketError()],
            ['ready', () => this.clearError()],
        ];
        for (const [event, listener] of this.#listeners)
            client.on(event, listener);
    }
    #keepSocketError() {
        const error = (0, bucket_1.property)((0, bucket_1.property)(this.#client, 'stream'), 'errored');
        if ((0, bucket_1.property)(error, 'message') !== undefined)
            this.#last = error;
    }
    error() {
        if (this.#last !== undefined)
            return this.#last;
        // iovalkey and ioredis have `status`, node-redis has `isReady`.
        const status = (0, bucket_1.property)(this.#client, 'status');
        const isReady = typeof status === 'string' ? status === 'ready' : (0, bucket_1.property)(this.#client, 'isReady');
        return isReady === false ? new Error('the client has no connection yet') : undefined;
    }
    clearError() {
        this.#last = undefined;
    }
    stop() {
        for (const [event, listener] of this.#listeners)
            this.#client.off(event, listener);
    }
}
const UNKNOWN = { error: () => undefined, clearError: () => { }, release: () => { } };
/** One per client: Node warns of a leak if many buckets add a listener each. */
const watched = new WeakMap();
/** GLIDE is not an emitter, and a custom {@link StoreClient} need not be one. */
function isEmitter(client) {
    return ['on', 'off', 'listenerCount'].every((method) => typeof (0, bucket_1.property)(client, method) === 'function');
}
/** Watches the connection of a client, if it emits events. */
function watchConnection(client) {
    if (!isEmitter(client))
        return UNKNOWN;
    const watch = watched.get(client) ?? new WatchedClient(client);
    watched.set(client, watch);
    watch.users += 1;
    let released = false;
    return {
        error: () => watch.error(),
        clearError: () => watch.clearError(),
        release: () => {
            if (released)
                return;
            released = true;
            watch.users -= 1;
            if (watch.users > 0)
                return;
            watch.stop();
            watched.delete(client);
        },
    };
}
//# sourceMappingURL=connection.js.map