"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.tellsWait = tellsWait;
exports.waitInWords = waitInWords;
const quota_fields_ts_1 = require("../http/quota-fields.js");
/** True if the headers ask for a wait, as seconds, a date or milliseconds. */
function tellsWait(response) {
    return response.header('retry-after') !== undefined || response.header('retry-after-ms') !== undefined;
}
const IN_WORDS = /\btry again in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)/i;
/** The wait in a message such as "Please try again in 6m0s.", in milliseconds; `undefined` if there is none. */
function waitInWords(message) {
    const duration = IN_WORDS.exec(message ?? '')?.[1];
    return duration === undefined ? undefined : (0, quota_fields_ts_1.durationMs)(duration);
}
//# sourceMappingURL=told-wait.js.map