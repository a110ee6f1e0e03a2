"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.emitStoreEvent = emitStoreEvent;
const bucket_1 = require("@ebb/core/bucket");
/** Calls the observer, if there is one. An observer that throws is reported once. */
function emitStoreEvent(setup, clock, event) {
    const { onStoreEvent, key } = setup;
    if (onStoreEvent === undefined)
        return;
    (0, bucket_1.callObserver)('onStoreEvent', onStoreEvent, { ...event, key, atMs: clock.now() });
}
//# sourceMappingURL=events.js.map