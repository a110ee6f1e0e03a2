"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.uploadEvents = uploadEvents;
/** What an attempt is called with while its upload is sent. */
function uploadEvents(upload) {
    let sentBytes = 0;
    let sends = 0;
    return {
        onBodySent(chunk) {
            upload.bodySent(sentBytes, chunk);
            sentBytes += Buffer.byteLength(chunk);
        },
        onRequestSent() {
            sends += 1;
            upload.requestSent(sends > 1);
        },
    };
}
//# sourceMappingURL=attempt-listener.js.map