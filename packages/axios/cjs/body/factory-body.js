"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.FactoryBody = void 0;
const core_1 = require("@ebb/core");
const stream_ts_1 = require("./stream.js");
function over() {
    return new Error('the attempt is over');
}
const DEFAULT_TYPE = 'application/x-www-form-urlencoded';
/**
 * The bodies that a {@link BodyFactory} makes. Each goes through `transformRequest` once, when it is made; the
 * factory itself never does.
 */
class FactoryBody {
    #transforms;
    /** Whether the caller set a content type. If not, the header holds axios's guess for a function. */
    #isTyped = false;
    /** The body of the current attempt, before and after the transforms. */
    #made = [];
    #last;
    /** Replaces the transforms of the config, until {@link restoreTransforms}. */
    constructor(config) {
        this.#transforms = config.transformRequest;
        config.transformRequest = [this.#passFactory(this)];
    }
    /** Lets the factory through untouched. A later interceptor may have replaced it: any other body is transformed. */
    #passFactory(body) {
        return function passFactory(data, headers) {
            if (typeof data !== 'function')
                return transform(this, body.#transforms, data);
            body.#isTyped = headers.hasContentType();
            return data;
        };
    }
    restoreTransforms(config) {
        if (this.#transforms === undefined)
            delete config.transformRequest;
        else
            config.transformRequest = this.#transforms;
    }
    /**
     * Makes the body of an attempt. A body that arrives when that is over is closed.
     *
     * @throws HookError if the factory throws or rejects, or returns the stream that it returned before
     */
    async next(config, factory, isOver) {
        const data = await this.#call(factory);
        if (isOver()) {
            (0, stream_ts_1.closeBody)(data, over());
            throw new core_1.HookError('data', over());
        }
        this.#last = data;
        this.#made = [data];
        if (!this.#isTyped)
            config.headers.delete('content-type');
        const body = transform(config, this.#transforms, data);
        if (/^(post|put|patch)$/.test(config.method ?? ''))
            config.headers.setContentType(DEFAULT_TYPE, false);
        this.#made.push(body);
        return body;
    }
    async #call(factory) {
        try {
            const data = await factory();
            if ((0, stream_ts_1.isSingleUse)(data) && data === this.#last)
                throw new TypeError('it returned the same stream twice');
            return data;
        }
        catch (cause) {
            throw new core_1.HookError('data', cause);
        }
    }
    /** Whether the current attempt has a stream, which may not have been read to its end. */
    get isOpen() {
        return this.#made.some(stream_ts_1.isSingleUse);
    }
    /** Closes the body of an attempt that is over. */
    release() {
        for (const body of this.#made.splice(0))
            (0, stream_ts_1.closeBody)(body, over());
    }
}
exports.FactoryBody = FactoryBody;
/** As axios applies them. */
function transform(config, transforms, data) {
    return [transforms ?? []]
        .flat()
        .reduce((body, each) => each.call(config, body, config.headers), data);
}
//# sourceMappingURL=factory-body.js.map