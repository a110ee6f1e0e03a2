"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Recording = exports.SentOnce = void 0;
/** An iterable. It is sent again only if its first chunk was never requested. */
class SentOnce {
    replayable = true;
    #body;
    #names;
    /** @param names the options that hold the body */
    constructor(body, names) {
        this.#body = body;
        this.#names = names;
    }
    take() {
        return Object.fromEntries(this.#names.map((name) => [name, this]));
    }
    async *[Symbol.asyncIterator]() {
        this.replayable = false;
        yield* this.#body;
    }
    /** Ends a generator that was never started. */
    unsent() {
        const { next, return: end } = this.#body;
        if (typeof next !== 'function' || typeof end !== 'function')
            return;
        new Promise((resolve) => resolve(end.call(this.#body, undefined))).catch(() => undefined);
    }
}
exports.SentOnce = SentOnce;
/**
 * Keeps the chunks of a generator, so that each attempt sends it from the start. Several attempts may read at the same
 * time: an attempt whose response came early may still be uploading when the next one begins.
 */
class Recording {
    replayable = true;
    #source;
    #names;
    #chunks = [];
    #pulling;
    /** @param names the options that hold the body */
    constructor(source, names) {
        this.#source = source;
        this.#names = names;
    }
    take() {
        return Object.fromEntries(this.#names.map((name) => [name, this]));
    }
    async *[Symbol.asyncIterator]() {
        for (let at = 0;; at += 1) {
            const kept = this.#chunks[at] ?? ((await this.#pull()) ? this.#chunks[at] : undefined);
            if (kept === undefined)
                return;
            yield kept;
        }
    }
    /** Waits for the next chunk; false at the end. */
    #pull() {
        this.#pulling ??= this.#source.next().then(({ done, value }) => {
            this.#pulling = undefined;
            if (done)
                return false;
            this.#chunks.push(value);
            return true;
        });
        return this.#pulling;
    }
    /** Lets fetch close the source that it reads from. */
    close() {
        this.#source.return(undefined).catch(() => undefined);
    }
}
exports.Recording = Recording;
//# sourceMappingURL=iterable-body.js.map