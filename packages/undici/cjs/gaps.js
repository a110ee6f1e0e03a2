"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.mirrorGaps = mirrorGaps;
const FOR_RESPONSE = ['onResponseStart', 'onResponseData', 'onResponseEnd'];
const FOR_UPGRADE = ['onRequestUpgrade'];
const FOR_UPLOAD = ['onBodySent', 'onRequestSent'];
function isMethodOrNone(value) {
    return value === undefined || typeof value === 'function';
}
/** True if a request finds all of its methods. Every request asks, and a look-up by a variable name is slow. */
function isComplete(handler, { upgrade, method }) {
    if (!isMethodOrNone(handler.onBodySent) || !isMethodOrNone(handler.onRequestSent))
        return false;
    if (upgrade || method === 'CONNECT')
        return typeof handler.onRequestUpgrade === 'function';
    return (typeof handler.onResponseStart === 'function' &&
        typeof handler.onResponseData === 'function' &&
        typeof handler.onResponseEnd === 'function');
}
/** The methods that a request needs and its handler lacks, with what the handler has instead. */
function gapsOf(handler, options) {
    const needed = options.upgrade || options.method === 'CONNECT' ? FOR_UPGRADE : FOR_RESPONSE;
    const gaps = {};
    for (const name of needed) {
        if (typeof handler[name] !== 'function')
            gaps[name] = handler[name];
    }
    for (const name of FOR_UPLOAD) {
        const method = handler[name];
        if (!isMethodOrNone(method))
            gaps[name] = method;
    }
    return gaps;
}
/**
 * Hides the methods of `attempt` that `handler` lacks. undici 8 checks a handler when it takes a request, and so
 * reports the same error as without ebb; undici 7 does not check.
 *
 * @returns restores the attempt's own methods, before the request starts; `undefined` if nothing is lacking
 */
function mirrorGaps(handler, options, attempt) {
    if (isComplete(handler, options))
        return undefined;
    const gaps = gapsOf(handler, options);
    // Own properties, which hide the methods of the class until they are deleted.
    const shadowed = Object.assign(attempt, gaps);
    return () => {
        for (const name of Object.keys(gaps))
            delete shadowed[name];
    };
}
//# sourceMappingURL=gaps.js.map