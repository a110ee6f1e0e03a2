"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.send = send;
const adapter_1 = require("@ebb/core/adapter");
const adapter_ts_1 = require("./adapter.js");
const axios_copy_ts_1 = require("./axios-copy.js");
const request_body_ts_1 = require("./body/request-body.js");
const call_ts_1 = require("./call.js");
const cancel_ts_1 = require("./cancel.js");
const config_changes_ts_1 = require("./config-changes.js");
const traits_ts_1 = require("./traits.js");
/**
 * Sends a request as often as its policy says.
 *
 * @param chosen what the config names as its adapter, which sends one attempt
 * @param factory there if `data` is a function
 */
function send(config, chosen, { policy, given }, factory) {
    const copy = (0, axios_copy_ts_1.copyOf)(config, given);
    const route = (0, adapter_ts_1.routeOf)(copy, chosen, config);
    const outer = (0, call_ts_1.callOf)(config);
    // An adapter that sends through another instance with the same interceptor.
    if (outer?.policy === policy)
        return route.adapter(config);
    const { ebb } = config;
    if (ebb)
        (0, axios_copy_ts_1.checkShared)(ebb);
    const body = (0, request_body_ts_1.requestBody)(config.data, factory);
    const traits = new traits_ts_1.Traits(config, body);
    const carried = (0, adapter_1.areLayered)() ? (0, config_changes_ts_1.outerLayerOf)(config) : undefined;
    const session = (0, adapter_1.startSession)(policy, traits, ebb, carried, route.way);
    if (session === undefined)
        return sendWithoutEbb(config, route.adapter);
    const caller = (0, cancel_ts_1.callerSignal)(config);
    const mark = carried === undefined ? undefined : new config_changes_ts_1.LayerMark(config);
    const call = new call_ts_1.Call(session, traits, { policy, route, copy, body, caller, outer, mark });
    const sent = (0, adapter_1.run)(session, call, caller?.signal);
    // Most requests have nothing to do at their end, and save a promise.
    return caller === undefined && factory === undefined ? sent : settle(sent, call, session);
}
/** The layers below may have ebb; `false` was meant for this one. */
function sendWithoutEbb(config, adapter) {
    delete config.ebb;
    return adapter(config).finally(() => {
        config.ebb = false;
    });
}
/** Ends a request that can be canceled, or whose body is made for each attempt. */
async function settle(sent, call, session) {
    const { signal } = call;
    let response;
    try {
        response = await sent;
        // axios would throw a CanceledError of its own now, which has no history.
        if (signal?.aborted)
            throw signal.reason;
    }
    catch (error) {
        call.end();
        throw failed(error, call, session);
    }
    call.end();
    if (response.status >= 400)
        call.closeUpload(response);
    return response;
}
/** The error that the caller gets. */
function failed(error, call, session) {
    const thrown = (0, cancel_ts_1.asCanceled)(error, call.signal, call.config, call.copy);
    const response = (0, adapter_1.property)(thrown, 'response');
    call.closeUpload(response);
    (0, adapter_1.remember)(thrown, session.trace);
    (0, adapter_1.remember)(response, session.trace);
    return thrown;
}
//# sourceMappingURL=send.js.map