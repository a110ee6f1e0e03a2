"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.judge = judge;
const same_ts_1 = require("./same.js");
/** Compares the history of a call with its events: the attempts, the delay before each, and the reason of the end. */
function inHistory(row, { attempts, got }, history) {
    const { abort, delays, failure, reason, status, stops } = row;
    // A download that is resumed has two entries for its attempt: its headers, and the break.
    const delayOf = new Map(history.map(({ attempt, delayMs }) => [attempt, delayMs]));
    const expected = [0, ...delays].slice(0, attempts).map((delayMs, at) => [at + 1, delayMs]);
    const last = history.at(-1);
    const isComplete = failure === undefined && got !== undefined && history.length === attempts;
    return [
        (0, same_ts_1.difference)('attempts and delays in the history', [...delayOf], expected),
        // After an abort between two attempts, the last entry says why there was to be another.
        abort === 'retry' && !stops
            ? undefined
            : (0, same_ts_1.difference)('the last reason in the history', last?.reason, reason),
        failure && (0, same_ts_1.difference)('the last failure in the history', last?.failure, failure),
        isComplete ? (0, same_ts_1.difference)('the last status in the history', last?.status, status) : undefined,
    ];
}
function ofHistory(row, run, { hasHistory }) {
    const { history, got, attempts } = run;
    if (row.reason === undefined || attempts === 0)
        return [];
    if (history !== undefined)
        return inHistory(row, run, history);
    return hasHistory && got !== undefined ? ['the response has no history'] : [];
}
/**
 * Compares the result of a run, and the requests that the upstream received, with the row.
 *
 * @throws Error that says all that differs
 */
function judge(row, run, seen, judged) {
    const { delays, hits, status, body, bodies, reason, thrown, carried, waits = [] } = row;
    const expectedThrow = thrown === 'a timeout' ? judged.timeoutError : thrown;
    const values = seen.map(({ headers }) => headers[carried?.header ?? '']);
    (0, same_ts_1.check)([
        (0, same_ts_1.difference)('delays', run.delays, delays),
        (0, same_ts_1.difference)('waits', run.waits, waits),
        (0, same_ts_1.difference)('the reason of the end', run.reason, reason),
        (0, same_ts_1.difference)('requests received', seen.length, hits),
        (0, same_ts_1.difference)('status', run.got?.status, status),
        body === undefined ? undefined : (0, same_ts_1.difference)('body', run.got?.body, body),
        thrown === undefined ? undefined : (0, same_ts_1.difference)('what was thrown', run.thrown, expectedThrow),
        bodies &&
            (0, same_ts_1.difference)('bodies received', seen.map((request) => request.body), bodies),
        carried && (0, same_ts_1.difference)(`${carried.header} received`, values, carried.values),
        (0, same_ts_1.difference)('timers left', run.pending, 0),
        (0, same_ts_1.difference)('slots still held', run.held, 0),
        ...ofHistory(row, run, judged),
    ], run.error);
}
//# sourceMappingURL=judge.js.map