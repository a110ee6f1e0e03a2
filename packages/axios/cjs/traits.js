"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.Traits = void 0;
const adapter_1 = require("@ebb/core/adapter");
const axios_1 = __importDefault(require("axios"));
const response_ts_1 = require("./response.js");
/** Builds URLs as axios does, without the defaults of any instance. Made late: a mock of axios may lack the class. */
let bare;
/** With a scheme, or protocol-relative. */
const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;
/**
 * The URL of a request with `baseURL` and `params` applied, and in a browser resolved against the page. Never
 * throws: axios itself reports an invalid URL when the request is sent.
 */
function urlOf(config) {
    const { url = '', params, allowAbsoluteUrls } = config;
    // `getUri` takes 3 µs, and mostly returns the URL unchanged.
    const isWhole = !params && allowAbsoluteUrls !== false && ABSOLUTE.test(url);
    return resolveOnPage(isWhole ? url : builtByAxios(config));
}
function builtByAxios({ url, baseURL, params, paramsSerializer, allowAbsoluteUrls, }) {
    try {
        const parts = { url, baseURL, params, paramsSerializer, allowAbsoluteUrls };
        bare ??= new axios_1.default.Axios({});
        return bare.getUri(parts);
    }
    catch {
        return url ?? '';
    }
}
function resolveOnPage(url) {
    const page = globalThis.location?.href;
    return page !== undefined && URL.canParse(url, page) ? new URL(url, page).href : url;
}
/** What a policy can ask about a request. Read from the config on each call, so an unused trait costs nothing. */
class Traits {
    config;
    #body;
    #url;
    constructor(config, body) {
        this.config = config;
        this.#body = body;
    }
    get method() {
        return (this.config.method ?? 'GET').toUpperCase();
    }
    get url() {
        this.#url ??= urlOf(this.config);
        return this.#url;
    }
    get replayable() {
        return this.#body.replayable;
    }
    /** As `transformRequest` has left it. A body that is made anew for each attempt is no one's to look at. */
    get body() {
        return this.#body.isReplaced ? undefined : (0, adapter_1.readableBody)(this.config.data);
    }
    header(name) {
        return (0, response_ts_1.headerOf)(this.config.headers, name);
    }
}
exports.Traits = Traits;
//# sourceMappingURL=traits.js.map