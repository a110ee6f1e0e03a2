"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.ResponseOutcome = void 0;
const adapter_1 = require("@ebb/core/adapter");
/** A custom `classify` asks for one or two headers. */
const MOST_LOOK_UPS = 2;
function isIterable(headers) {
    return typeof headers?.[Symbol.iterator] === 'function';
}
/** The outcome of an attempt with a response; headers and URL are read lazily. */
class ResponseOutcome {
    type = 'response';
    status;
    #response;
    /** How many headers were asked for. */
    #asked = 0;
    #all;
    constructor(response) {
        // A mock may lack a status, or may not even be an object.
        this.status = response?.status ?? 0;
        this.#response = response;
    }
    /** A look-up takes longer than a step of an iteration: what reads many headers gets a copy. */
    header(name) {
        this.#asked += 1;
        const headers = this.#response?.headers;
        if (this.#asked <= MOST_LOOK_UPS || !isIterable(headers))
            return (0, adapter_1.responseHeader)(headers, name);
        this.#all ??= new Map(headers);
        return this.#all.get(name);
    }
    get redirected() {
        return this.#response?.redirected === true;
    }
    /** The target of a redirect. */
    get url() {
        return this.redirected ? this.#response.url : undefined;
    }
}
exports.ResponseOutcome = ResponseOutcome;
ResponseOutcome;
//# sourceMappingURL=outcome.js.map