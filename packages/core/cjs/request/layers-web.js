"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.countLayer = countLayer;
exports.areLayered = areLayered;
exports.mayBeLayered = mayBeLayered;
exports.isWithinCall = isWithinCall;
exports.isNativeFetch = isNativeFetch;
exports.surroundings = surroundings;
exports.noteFailure = noteFailure;
exports.withSlots = withSlots;
exports.openCall = openCall;
exports.closeCall = closeCall;
exports.knowsAsyncContext = knowsAsyncContext;
exports.within = within;
exports.nextEnd = nextEnd;
exports.noteEnd = noteEnd;
exports.hasEndedBelow = hasEndedBelow;
const layer_ts_1 = require("./layer.js");
// Browsers have no async context. A layer below finds the passage in the options of its request, and nowhere else.
/** How many layers there are. With one, calls need no passage. */
let layers = 0;
/** Counts a layer: a wrapped fetch, an interceptor. */
function countLayer(_isDispatcher, _layer) {
    layers += 1;
}
/** True if a call may have been made within another one. */
function areLayered() {
    return layers > 1;
}
/** True if a call that is sent this way may pass through another layer, and so needs a passage. */
function mayBeLayered(way) {
    return layers > 1 && way === 'client';
}
/** Nothing can tell here. A call says it itself. */
function isWithinCall() {
    return false;
}
const fetchAtLoad = globalThis.fetch;
/** True for the runtime's own fetch, in which there is no layer. */
function isNativeFetch(fetch) {
    return fetch === fetchAtLoad;
}
/** Finds the layer above a request by what its options carry. */
function surroundings(_request, carried, _isDispatch) {
    const outer = carried;
    return outer?.call.open === true ? { outer, slotsOf: outer.call.slotsOf } : layer_ts_1.NO_LAYERS;
}
/** Nothing can tell here who has made a request. */
function noteFailure(_around) { }
/** Runs user code. What it sends waits for a slot as any other request. */
async function withSlots(_slotsOf, run) {
    return await run();
}
function openCall(call) {
    call.open = true;
}
function closeCall(call) {
    call.open = false;
}
function knowsAsyncContext() {
    return false;
}
/** Calls what sends a request: its options have the passage. */
function within(_passage, send) {
    return send();
}
/** Ends are counted where a layer may be hidden from the one above it. */
function nextEnd() {
    return 0;
}
function noteEnd(_result) { }
function hasEndedBelow(_result, _since) {
    return false;
}
//# sourceMappingURL=layers-web.js.map