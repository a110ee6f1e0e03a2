"use strict";
var __createBinding = (this && this.__createBinding) || (Object.create ? (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    var desc = Object.getOwnPropertyDescriptor(m, k);
    if (!desc || ("get" in desc ? !m.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return m[k]; } };
    }
    Object.defineProperty(o, k2, desc);
}) : (function(o, m, k, k2) {
    if (k2 === undefined) k2 = k;
    o[k2] = m[k];
}));
var __setModuleDefault = (this && this.__setModuleDefault) || (Object.create ? (function(o, v) {
    Object.defineProperty(o, "default", { enumerable: true, value: v });
}) : function(o, v) {
    o["default"] = v;
});
var __importStar = (this && this.__importStar) || (function () {
    var ownKeys = function(o) {
        ownKeys = Object.getOwnPropertyNames || function (o) {
            var ar = [];
            for (var k in o) if (Object.prototype.hasOwnProperty.call(o, k)) ar[ar.length] = k;
            return ar;
        };
        return ownKeys(o);
    };
    return function (mod) {
        if (mod && mod.__esModule) return mod;
        var result = {};
        if (mod != null) for (var k = ownKeys(mod), i = 0; i < k.length; i++) if (k[i] !== "default") __createBinding(result, mod, k[i]);
        __setModuleDefault(result, mod);
        return result;
    };
})();
Object.defineProperty(exports, "__esModule", { value: true });
exports.look = look;
exports.peekAt = peekAt;
const node_stream_1 = require("node:stream");
const zlib = __importStar(require("node:zlib"));
const headers_ts_1 = require("./headers.js");
const traits_ts_1 = require("./traits.js");
/** Codings over codings are rare, and cost memory each. */
const MOST_CODINGS = 5;
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
/** Also reads a body that ends early, as browsers and curl do. */
const TOLERANT = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
/** By content coding. Source: RFC 9110 §8.4.1, RFC 7932 and RFC 8878. */
const DECODERS = new Map([
    ['gzip', () => zlib.createGunzip(TOLERANT)],
    ['x-gzip', () => zlib.createGunzip(TOLERANT)],
    // Some servers leave the zlib header out. Its first byte ends in 8, as no usual deflate data begins.
    ['deflate', ([first = 0]) => ((first & 0xf) === 8 ? zlib.createInflate : zlib.createInflateRaw)(TOLERANT)],
    [
        'br',
        () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
    ],
    // From Node 22.15 on.
    ...(typeof zlib.createZstdDecompress === 'function'
        ? [['zstd', () => zlib.createZstdDecompress()]]
        : []),
]);
/** What decodes a body, in order; empty if it is not encoded, or cannot be decoded. */
function decodersOf({ status, headers }) {
    const field = (0, headers_ts_1.responseHeader)(headers, 'content-encoding');
    // A part of an encoded body cannot be decoded without what comes before.
    if (field === undefined || status === 206)
        return [];
    const codings = field
        .toLowerCase()
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => coding !== '' && coding !== 'identity');
    const decoders = codings.reverse().map((coding) => DECODERS.get(coding));
    const isKnown = (decoder) => decoder !== undefined;
    return decoders.length <= MOST_CODINGS && decoders.every(isKnown) ? decoders : [];
}
/** Holds a response back until the policy has inspected it. */
function look(steps, attempt, head) {
    const { session } = steps;
    const held = attempt.hold(head);
    const outcome = (0, traits_ts_1.responseOutcome)(attempt, head.status, head.headers);
    session
        .look(() => peekAt(held), undefined, outcome)
        .then((inspected) => {
        if (attempt.over)
            return;
        const retry = steps.judge(attempt, inspected);
        if (retry)
            steps.setAside(attempt, head, held);
        else if (retry === false)
            steps.respond(attempt, head, held);
    }, (hookError) => {
        if (attempt.over)
            return;
        session.fail(outcome, hookError);
        steps.giveUp(attempt, hookError);
    });
}
/** Opens the body of a held response for a look. What the handler gets stays encoded. */
function peekAt(held) {
    const decoders = decodersOf(held.head);
    return decoders.length === 0 ? held : new DecodedPeek(held, decoders);
}
class DecodedPeek {
    #held;
    #streams = [];
    #parts;
    constructor(held, decoders) {
        this.#held = held;
        let parts = chunksOf(held);
        for (const make of decoders)
            parts = this.#decode(parts, make);
        this.#parts = parts;
    }
    async *#decode(parts, make) {
        const first = await parts.next();
        // A response to a HEAD has no body, which is not the same as an empty one that is encoded.
        if (first.done)
            return;
        const decoder = make(first.value);
        this.#streams.push(decoder);
        // Its errors also come out of the decoder.
        (0, node_stream_1.pipeline)(rejoined(first.value, parts), decoder, () => undefined);
        yield* decoder;
    }
    async read() {
        const { done, value } = await this.#parts.next();
        return done ? undefined : value;
    }
    stop() {
        this.#held.stop();
        for (const stream of this.#streams)
            stream.destroy();
    }
}
async function* chunksOf(held) {
    for (let chunk = await held.read(); chunk !== undefined; chunk = await held.read())
        yield chunk;
}
async function* rejoined(first, others) {
    yield first;
    yield* others;
}
//# sourceMappingURL=peek.js.map