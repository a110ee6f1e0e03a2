"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.LayerPlace = void 0;
const _platform_1 = require("#platform");
/** The place of one session among the layers of ebb that its call passes through. */
class LayerPlace {
    /** `undefined` if a function is called, which may send any request. */
    #request;
    #outer;
    surroundings;
    #passage;
    constructor(request, around) {
        this.#request = request;
        this.#outer = around.outer;
        this.surroundings = around;
    }
    /** True if another layer around this one retries, and this one sends once. */
    get isInner() {
        return this.#outer !== undefined;
    }
    get taken() {
        return this.#outer?.tookFrom ?? [];
    }
    get slots() {
        return this.surroundings.slotsOf;
    }
    get paid() {
        return this.surroundings.maker?.paid;
    }
    /** The request of the call as the outermost layer has it; `undefined` for that layer itself. */
    get callRequest() {
        return this.#outer?.call.request;
    }
    /** What this layer shows to those below it; `undefined` before its first attempt. */
    get passage() {
        return this.#passage;
    }
    /** Called before each attempt, with the bucket and the limit that it takes from. */
    enter(bucket, limit) {
        const call = this.#outer?.call ??
            this.#passage?.call ?? { request: this.#request, open: false, dispatched: false, slotsOf: [] };
        if (this.#request === undefined) {
            call.hasFailed = false;
            call.paid = bucket && new Set([bucket]);
        }
        if (this.#outer === undefined) {
            // A download that breaks is resumed after its response was judged: the call opens again.
            if (!call.open)
                (0, _platform_1.openCall)(call);
            const { slotsOf } = this.surroundings;
            call.slotsOf = limit === undefined ? slotsOf : [...slotsOf, limit];
        }
        const { taken } = this;
        this.#passage = { call, tookFrom: bucket === undefined ? taken : [...taken, bucket] };
    }
    /** Calls what sends the attempt, so that the layers below find this one. */
    sending(send) {
        return this.#passage === undefined ? send() : (0, _platform_1.within)(this.#passage, send);
    }
    /** True if the function has failed after a call that it made, which was retried and has failed. */
    get failedBelow() {
        return this.#passage?.call.hasFailed === true;
    }
    /** The call has ended. Only the outermost layer calls this. */
    close() {
        if (this.#passage?.call.open)
            (0, _platform_1.closeCall)(this.#passage.call);
    }
}
exports.LayerPlace = LayerPlace;
//# sourceMappingURL=layer-place.js.map