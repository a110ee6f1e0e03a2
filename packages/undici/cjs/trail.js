"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Trails = exports.Trail = void 0;
exports.isRedirect = isRedirect;
exports.addsHeaders = addsHeaders;
const node_async_hooks_1 = require("node:async_hooks");
/** The statuses that a `fetch` follows or refuses. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** True for a response that a reader may leave unread. */
function isRedirect(status) {
    return REDIRECTS.has(status);
}
/**
 * A call and the redirects that it follows. undici follows redirects above ebb, so that each hop is dispatched as a request of its
 * own; but what a hook adds belongs to the origin of the call.
 */
class Trail {
    origin;
    /** True once a hop had another origin. It stays: a client does not restore the headers that it removed either. */
    isAway = false;
    /** The idempotency key of the call. It is carried on once: a caller who sends to the same URL again wants a key of its own. */
    key;
    /** What the last response asks for, if it is a redirect: several, if its location can be read in several ways. */
    #targets = [];
    constructor(request) {
        this.origin = originOf(request);
    }
    /** Notes the response that the handler is about to get. */
    note(request, status, { location }) {
        this.#targets = [];
        if (!isRedirect(status) && status !== 300)
            return;
        // Of several fields, fetch and the redirect interceptor make one in different ways.
        const locations = Array.isArray(location) ? [location.join(', '), location.join()] : [location ?? ''];
        const method = methodAfter(status, request.method);
        this.#targets = locations.map((one) => ({ url: addressOf(one, request.url), method }));
    }
    /** True if the last response was a redirect. */
    get isRedirected() {
        return this.#targets.length > 0;
    }
    /** True if a request is what the last response asks for. */
    leadsTo(request) {
        const url = addressOf(request.url);
        return this.#targets.some((target) => target.url === url && target.method === request.method);
    }
    /** What a hop needs to know of the call. */
    hop(request) {
        this.isAway ||= originOf(request) !== this.origin;
        const { isAway, key } = this;
        this.key = undefined;
        return { isAway, key };
    }
}
exports.Trail = Trail;
/** An interceptor that looks names up sends to an address, and the name in `Host`. */
function originOf(request) {
    const { protocol, host } = URL.parse(request.url) ?? { protocol: '', host: request.url };
    return `${protocol}//${request.header('host') ?? host}`;
}
/** Without the fragment, which is not sent. */
function addressOf(url, base) {
    const parsed = URL.parse(url, base);
    return parsed === null ? url : parsed.origin + parsed.pathname + parsed.search;
}
/** The method of the next hop. Source: the Fetch standard, HTTP-redirect fetch, step 12. */
function methodAfter(status, method) {
    const isGet = (status === 301 || status === 302) && method === 'POST';
    return isGet || (status === 303 && method !== 'HEAD') ? 'GET' : method;
}
/** True if a policy adds headers, so that it matters which requests are hops. */
function addsHeaders({ beforeAttempt, idempotencyKey }) {
    return beforeAttempt !== undefined || idempotencyKey !== undefined;
}
/**
 * Finds the call of a hop. undici's redirect interceptor dispatches a hop while its handler is called, and a `fetch` from its own
 * async context, which is that of the call's first dispatch. Entering that context also enters it in what the caller does
 * next; so a request is a hop only if it is exactly what the last response has asked for.
 */
class Trails {
    /** Made by the first request that needs it: in some versions of Node it makes every `await` slower. */
    #storage;
    /** The trail of a request; `undefined` if it needs none. For a hop it also tells the session. */
    trailOf(session, handler) {
        // Handlers of undici's own functions, which follow no redirects, are async resources. Those of fetch and of interceptors are not.
        if (handler instanceof node_async_hooks_1.AsyncResource)
            return undefined;
        const { request } = session;
        this.#storage ??= new node_async_hooks_1.AsyncLocalStorage();
        const found = this.#storage.getStore();
        if (found !== undefined && (found.isInside || found.trail.leadsTo(request))) {
            found.isInside = false;
            session.hop = found.trail.hop(request);
            return found.trail;
        }
        const trail = new Trail(request);
        this.#storage.enterWith({ trail, isInside: false });
        return trail;
    }
    /** Calls the handler, so that a hop that it dispatches is found. */
    within(trail, call) {
        return this.#storage === undefined || !trail.isRedirected
            ? call()
            : this.#storage.run({ trail, isInside: true }, call);
    }
}
exports.Trails = Trails;
//# sourceMappingURL=trail.js.map