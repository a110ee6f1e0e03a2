"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LayerMark = void 0;
exports.outerLayerOf = outerLayerOf;
const adapter_1 = require("@ebb/core/adapter");
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
//# sourceMappingURL=layer-mark.js.map