"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Hops = void 0;
const node_ts_1 = require("./node.js");
/** Counts the requests that one attempt sends, redirects included. */
class Hops {
    #count = 0;
    #first;
    /** The attempt of a layer of ebb above, which this one is part of. */
    #outer;
    #isOpen = true;
    /** Sends the attempt, and counts its requests. Counts nothing in a runtime that does not report them. */
    count(send) {
        storage ??= listen();
        if (storage === null)
            return send();
        const outer = storage.getStore();
        // Two steps, because an optional chain cannot end in a private name.
        if (outer !== undefined)
            this.#outer = outer.#isOpen ? outer : undefined;
        const result = storage.run(this, send);
        const close = () => {
            this.#isOpen = false;
            // A socket or a timer may hold the context of this attempt for ever.
            this.#outer = undefined;
        };
        Promise.resolve(result).then(close, close);
        return result;
    }
    record(request) {
        this.#count += 1;
        this.#first ??= request;
        this.#outer?.record(request);
    }
    /**
     * True if a failed attempt certainly failed at its first hop: it sent exactly one request, to its own URL. Nothing is
     * certain with a base fetch that sends other requests, or does not use Node's own client.
     */
    failedAtFirst(method, url) {
        const parsed = URL.parse(url);
        if (this.#count !== 1 || this.#first === undefined || parsed === null)
            return false;
        const { origin, path, method: sent } = this.#first;
        return (String(origin) === parsed.origin &&
            path === parsed.pathname + parsed.search &&
            String(sent).toUpperCase() === method);
    }
}
exports.Hops = Hops;
/** `null` in a runtime whose fetch does not report its requests. */
let storage;
/**
 * Only Node's fetch reports its requests. On Node 22 the first attempt that is counted makes every later `await` of the
 * process about 60 ns slower.
 */
function listen() {
    if (node_ts_1.nodeProcess?.versions?.undici === undefined)
        return null;
    const hooks = node_ts_1.nodeProcess.getBuiltinModule?.('node:async_hooks');
    if (hooks === undefined)
        return null;
    const made = new hooks.AsyncLocalStorage();
    node_ts_1.nodeProcess
        .getBuiltinModule?.('node:diagnostics_channel')
        ?.subscribe('undici:request:create', (message) => {
        made.getStore()?.record(message.request);
    });
    return made;
}
//# sourceMappingURL=hops.js.map