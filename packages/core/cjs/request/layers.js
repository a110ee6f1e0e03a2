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
const SHARED = Symbol.for('@ebb/core layers');
/** Not imported: browsers have no such module, and bundlers fail on its name. */
function asyncStorage() {
    const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks');
    return hooks?.AsyncLocalStorage && new hooks.AsyncLocalStorage();
}
/** No layer can be in it: every layer needs this package, which is being loaded. */
const fetchAtLoad = globalThis.fetch;
let known;
function shared() {
    if (known !== undefined)
        return known;
    const holder = globalThis;
    holder[SHARED] ??= {
        layers: 0,
        dispatchers: 0,
        open: 0,
        mayRest: false,
        nativeFetch: fetchAtLoad,
        storage: asyncStorage(),
        current: undefined,
        ended: new WeakMap(),
        ends: 0,
    };
    known = holder[SHARED];
    return known;
}
function uncountLayer(isDispatcher) {
    const state = shared();
    state.layers -= 1;
    if (isDispatcher)
        state.dispatchers -= 1;
    state.mayRest = true;
    rest(state);
}
/** Async context costs every `await` of the program in some versions of Node. */
function rest(state) {
    if (!state.mayRest || state.layers > 1 || state.open > 0)
        return;
    state.mayRest = false;
    state.storage?.disable?.();
}
let collected;
/**
 * Counts a layer: a wrapped fetch, a composed dispatcher, an interceptor.
 *
 * @param layer the function that the user has: once it is garbage-collected, it does not count any more
 */
function countLayer(isDispatcher = false, layer) {
    const state = shared();
    state.layers += 1;
    if (isDispatcher)
        state.dispatchers += 1;
    if (layer === undefined)
        return;
    collected ??= new FinalizationRegistry(uncountLayer);
    collected.register(layer, isDispatcher);
}
/** True if a call may have been made within another one: by a layer above, or by user code that another call runs. */
function areLayered() {
    const { layers, open } = shared();
    return layers > 1 || open > 0;
}
/**
 * True if a call that is sent this way may pass through another layer, and so needs a passage. That costs 0.4 µs per
 * request, and makes every `await` slower on Node 22.
 */
function mayBeLayered(way) {
    const { layers, dispatchers } = shared();
    if (way === 'function')
        return true;
    if (layers < 2 || way === 'socket')
        return false;
    return way !== 'native-fetch' || dispatchers > 0;
}
/** True if the code that runs now is part of an open call. */
function isWithinCall() {
    const { layers, open, storage, current } = shared();
    if (layers < 2 && open === 0)
        return false;
    return storage?.getStore()?.call.open === true || current?.call.open === true;
}
/** True for the runtime's own fetch, in which there is no layer. */
function isNativeFetch(fetch) {
    return fetch === shared().nativeFetch;
}
/** The URL in the normal form of all clients, without the fragment, which is not sent. */
function hrefOf({ url }) {
    const parsed = URL.parse(url);
    if (parsed === null)
        return url;
    parsed.hash = '';
    return parsed.href;
}
function isSame(one, other) {
    return one === other || (one.method === other.method && hrefOf(one) === hrefOf(other));
}
/**
 * Finds the layers above a request. A different request that starts inside an open call, for a token for example, is a
 * call of its own. A dispatcher takes it for the next hop of a redirect instead, once it has seen the call itself.
 *
 * @param carried what the options of the request hold under {@link LAYER}
 * @param isDispatch true if this layer is a dispatcher, below the code that follows redirects
 */
function surroundings(request, carried, isDispatch) {
    if (!areLayered())
        return layer_ts_1.NO_LAYERS;
    const { storage, current } = shared();
    const passage = carried;
    if (passage?.call.open === true) {
        if (isDispatch)
            passage.call.dispatched = true;
        return { outer: passage, slotsOf: passage.call.slotsOf };
    }
    let maker;
    for (const found of [storage?.getStore(), current]) {
        if (found?.call.open !== true)
            continue;
        const { call } = found;
        const isOfCall = call.request !== undefined && isSame(call.request, request);
        if (isOfCall && isDispatch)
            call.dispatched = true;
        if (isOfCall || (isDispatch && call.dispatched))
            return { outer: found, slotsOf: call.slotsOf };
        maker = call;
    }
    return maker === undefined ? layer_ts_1.NO_LAYERS : { outer: undefined, slotsOf: maker.slotsOf, maker };
}
/** Tells the user code around a call that it need not be repeated: the call has been, and has failed. */
function noteFailure({ maker }) {
    if (maker !== undefined)
        maker.hasFailed = true;
}
/**
 * Runs user code that a call waits for while it holds slots. What it sends through the limits of these slots does not wait
 * for another slot: all of them may be held by calls that wait in the same way.
 *
 * Without async context, as in browsers, that holds until the code first waits for something.
 */
async function withSlots(slotsOf, run) {
    const call = { request: undefined, open: false, dispatched: false, slotsOf };
    openCall(call);
    try {
        return await within({ call, tookFrom: [] }, run);
    }
    finally {
        closeCall(call);
    }
}
/** To be called before a call, or user code, may make others; {@link closeCall} after it. */
function openCall(call) {
    call.open = true;
    shared().open += 1;
}
function closeCall(call) {
    call.open = false;
    const state = shared();
    state.open -= 1;
    rest(state);
}
/** True if what user code sends can always be told from what others send. */
function knowsAsyncContext() {
    return shared().storage !== undefined;
}
/** Calls what sends a request, so that the layers below find the passage. */
function within(passage, send) {
    const state = shared();
    const before = state.current;
    state.current = passage;
    try {
        return state.storage === undefined ? send() : state.storage.run(passage, send);
    }
    finally {
        state.current = before;
    }
}
/** The number of the next end: everything that ends from now on has this number or a higher one. */
function nextEnd() {
    return shared().ends;
}
/**
 * Notes the result that a layer has ended with. Needed without a storage only, as in browsers: a layer that did not find
 * the one above it may have retried, and the one above must not retry the same result again.
 */
function noteEnd(result) {
    const state = shared();
    if (state.storage !== undefined || state.layers < 2)
        return;
    if (typeof result !== 'object' || result === null)
        return;
    state.ended.set(result, state.ends);
    state.ends += 1;
}
/** True if a layer below has ended with this result since the end of that number. */
function hasEndedBelow(result, since) {
    const { storage, ended } = shared();
    if (storage !== undefined || typeof result !== 'object' || result === null)
        return false;
    return (ended.get(result) ?? -1) >= since;
}
//# sourceMappingURL=layers.js.map