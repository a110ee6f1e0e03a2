"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.isLegacy = isLegacy;
exports.modernHandler = modernHandler;
const REQUIRED = ['onConnect', 'onError'];
/** True for a complete legacy handler, false for a handler that has both styles. */
function isLegacy(handler) {
    return !('onRequestStart' in handler) && REQUIRED.every((name) => typeof handler[name] === 'function');
}
/** Names and values alternate. Built from `headers` if a dispatcher has no raw ones. */
function rawOf(raw, headers) {
    if (Array.isArray(raw))
        return raw;
    return Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [Buffer.from(name, 'latin1'), Buffer.from(one, 'latin1')]));
}
/** Adapts a legacy handler to the current interface. */
function modernHandler(handler) {
    const wrapped = {
        onRequestStart(controller, context) {
            handler.onConnect?.((reason) => controller.abort(reason), context);
        },
        onRequestUpgrade(controller, status, headers, socket) {
            handler.onUpgrade?.(status, rawOf(controller.rawHeaders, headers), socket);
        },
        onResponseStart(controller, status, headers, message) {
            const raw = rawOf(controller.rawHeaders, headers);
            const more = handler.onHeaders?.(status, raw, () => controller.resume(), message);
            // An informational response has no body to hold back.
            if (more === false && status >= 200)
                controller.pause();
        },
        onResponseData(controller, chunk) {
            if (handler.onData?.(chunk) === false)
                controller.pause();
        },
        onResponseEnd(controller, trailers) {
            handler.onComplete?.(rawOf(controller.rawTrailers, trailers));
        },
        onResponseError(_, error) {
            handler.onError?.(error);
        },
        onResponseStarted() {
            handler.onResponseStarted?.();
        },
    };
    if (handler.onBodySent)
        wrapped.onBodySent = (chunk) => handler.onBodySent?.(chunk);
    if (handler.onRequestSent)
        wrapped.onRequestSent = () => handler.onRequestSent?.();
    return wrapped;
}
//# sourceMappingURL=legacy.js.map