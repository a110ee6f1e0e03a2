"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.whenBodyEnds = whenBodyEnds;
const response_ts_1 = require("../response.js");
const message_complete_ts_1 = require("./message-complete.js");
const read_ahead_ts_1 = require("./read-ahead.js");
const stream_ts_1 = require("./stream.js");
/**
 * Calls `ended` when the connection no longer needs to carry the body of a response: at once if axios has read it,
 * otherwise when it has arrived (read or not), has failed, or was cancelled. May call it more than once.
 */
function whenBodyEnds(settled, clock, ended) {
    const response = (0, response_ts_1.responseIn)(settled);
    const data = response?.data;
    if ((0, stream_ts_1.isNodeReadable)(data) && !data.destroyed && !data.readableEnded) {
        // A stream that fails also closes. An `error` listener would hide the error from a caller without one.
        data.on('end', ended);
        data.on('close', ended);
        (0, message_complete_ts_1.whenComplete)(data, response?.request, clock, ended);
    }
    else if (response !== undefined && (0, stream_ts_1.isWebReadable)(data) && !data.locked) {
        response.data = (0, read_ahead_ts_1.readAhead)(data, ended);
    }
    else {
        ended();
    }
}
//# sourceMappingURL=body-end.js.map