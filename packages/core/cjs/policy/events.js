"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.makeEvent = makeEvent;
exports.detailsOf = detailsOf;
exports.isObserved = isObserved;
exports.report = report;
const call_observer_ts_1 = require("../base/call-observer.js");
const channels_ts_1 = require("../base/channels.js");
const reported_ts_1 = require("./reported.js");
/** Where an event carries its details. Known to all copies of this package in a program. */
const DETAILS = Symbol.for('@ebb/core details');
/** @param common the fields that all events share */
function makeEvent(news, request, common) {
    const { outcome, error } = news;
    const event = {
        ...news,
        ...('outcome' in news && { outcome: outcome && (0, reported_ts_1.reportedOutcome)(outcome) }),
        ...('error' in news && { error: (0, reported_ts_1.reportedError)(error) }),
        ...common,
    };
    const details = { request, outcome, error };
    // Not enumerable: copies, logs and JSON leave it out.
    return Object.defineProperty(event, DETAILS, { value: details });
}
/**
 * What an event is about, in full: the URL with its query, the headers of request and response, the client's error. It may
 * contain secrets, so take from it what you need. `undefined` for anything but an event of ebb, also for a copy of one.
 *
 * @example
 * ```ts
 * import { createPolicy, detailsOf } from '@ebb/core';
 *
 * const policy = createPolicy({
 *   onEvent(event) {
 *     const outcome = detailsOf(event)?.outcome;
 *     if (outcome?.type === 'response') console.log(event.type, outcome.header('x-request-id'));
 *   },
 * });
 * ```
 */
function detailsOf(event) {
    return event[DETAILS];
}
/**
 * In Node every event is also published on a channel of `node:diagnostics_channel`, named by its type: `ebb:attempt`,
 * `ebb:retry` and so on. `undefined` in other runtimes.
 */
const channels = /* @__PURE__ */ (0, channels_ts_1.channelsOf)([
    'throttle',
    'blocked',
    'mark',
    'attempt',
    'retry',
    'other-retries',
    'end',
]);
/** True if someone wants events of this type. Without that they are not built. */
function isObserved(onEvent, type) {
    return onEvent !== undefined || channels?.[type].hasSubscribers === true;
}
/** Gives an event to all who want it. */
function report(onEvent, event) {
    if (onEvent !== undefined)
        (0, call_observer_ts_1.callObserver)('onEvent', onEvent, event);
    channels?.[event.type].publish(event);
}
//# sourceMappingURL=events.js.map