"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LateAttempt = exports.LayerMark = void 0;
exports.copyWith = copyWith;
exports.changed = changed;
exports.outerLayerOf = outerLayerOf;
const adapter_1 = require("@ebb/core/adapter");
/** Headers of the same class, which may be another copy's, with these values. */
function copyWith(headers, values) {
    return Object.assign(Object.create(Object.getPrototypeOf(headers)), values);
}
/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
function changed(headers, changes) {
    const copy = copyWith(headers, headers);
    for (const [name, value] of Object.entries(changes)) {
        if (value === undefined)
            copy.delete(name);
        else
            copy.set(name, value, true);
    }
    return copy;
}
/** The mark that an outer layer left in a config. */
function outerLayerOf(config) {
    const { [adapter_1.LAYER]: mark, fetchOptions } = config;
    return mark ?? fetchOptions?.[adapter_1.LAYER];
}
/**
 * Marks a config so that ebb layers below know that this one retries. The mark stands in the config, which another
 * axios instance receives as a copy, and in its `fetchOptions`, which are passed to fetch. The caller's `ebb`
 * options are for this layer alone and are hidden from those below.
 */
class LayerMark {
    #config;
    #fetchOptions;
    #ebb;
    constructor(config) {
        this.#config = config;
        this.#fetchOptions = this.#config.fetchOptions;
        this.#ebb = config.ebb;
    }
    set(layer) {
        // axios deep-copies plain objects. An object with a prototype is passed on by reference.
        const mark = Object.create(layer);
        this.#config[adapter_1.LAYER] = mark;
        this.#config.fetchOptions = { ...this.#fetchOptions, [adapter_1.LAYER]: mark };
        delete this.#config.ebb;
    }
    /** Restores the config, without the mark of an outer layer. */
    remove() {
        delete this.#config[adapter_1.LAYER];
        if (this.#fetchOptions === undefined)
            delete this.#config.fetchOptions;
        else {
            const { [adapter_1.LAYER]: _, ...fetchOptions } = this.#fetchOptions;
            this.#config.fetchOptions = adapter_1.LAYER in this.#fetchOptions ? fetchOptions : this.#fetchOptions;
        }
        if (this.#ebb !== undefined)
            this.#config.ebb = this.#ebb;
    }
}
exports.LayerMark = LayerMark;
/**
 * An attempt that has timed out, and whose custom adapter may go on with the config: it may have ignored its token, or
 * wait for something else. While ebb waits for the retry the config stays as it was in the attempt. Its token is
 * canceled, so that axios sends nothing more through another instance or its fetch adapter, and what is sent nevertheless
 * has the attempt's headers, an idempotency key for example.
 */
class LateAttempt {
    #config;
    #inAttempt;
    /** The caller's. */
    #before;
    constructor(config) {
        this.#config = config;
        this.#inAttempt = { cancelToken: config.cancelToken, headers: config.headers };
    }
    hold() {
        const { cancelToken, headers } = this.#config;
        this.#before = { cancelToken, headers };
        Object.assign(this.#config, this.#inAttempt);
    }
    release() {
        if (this.#before === undefined)
            return;
        Object.assign(this.#config, this.#before);
        if (this.#before.cancelToken === undefined)
            delete this.#config.cancelToken;
        this.#before = undefined;
    }
}
exports.LateAttempt = LateAttempt;
//# sourceMappingURL=config-changes.js.map