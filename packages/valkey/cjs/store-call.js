"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.argumentsOf = argumentsOf;
exports.parseReply = parseReply;
exports.parseState = parseState;
exports.isOvertaken = isOvertaken;
const store_error_ts_1 = require("./store-error.js");
const wholeUs = (ms) => Math.ceil(ms * 1_000).toFixed(0);
/** The arguments of a call that depend on its mode. */
function argumentsOf(call) {
    switch (call.mode) {
        case 'lease':
            return [
                ...[`${call.minAmount}`, `${call.maxAvailable}`, '', `${call.maxFuture}`],
                call.withinMs === Number.POSITIVE_INFINITY ? '-1' : wholeUs(Math.max(0, call.withinMs)),
            ];
        case 'refund':
            return [`${call.amount}`, '0', call.leaseState, '0', '0'];
        case 'spend':
            return [`${call.amount}`, '0', '', '0', '0'];
        case 'pause':
            return [wholeUs(call.durationMs), '0', '', '0', '0'];
        case 'resume':
            return [wholeUs(call.outageMs), wholeUs(call.handoverMs), '', '0', '0'];
        case 'unpause':
        case 'peek':
            return ['0', '0', '', '0', '0'];
    }
}
/** The numbers and the state of a reply; whether the bucket was lost, the caller knows. */
function parseReply(call, reply) {
    const numbers = Array.isArray(reply) ? reply.slice(0, 7).map(Number) : [];
    const [granted = 0, waitUs = 0, emptyInUs = 0, pausedUs = 0, nowUs = 0, processes = 1, resumeUs = 0] = numbers;
    if (numbers.length < 7 || !numbers.every(Number.isFinite)) {
        throw new store_error_ts_1.InvalidReply(`Unexpected reply from the store: ${JSON.stringify(reply)}`);
    }
    const state = String(reply[7]);
    return {
        granted,
        waitMs: waitUs / 1_000,
        emptyInMs: emptyInUs / 1_000,
        pausedMs: pausedUs / 1_000,
        atUs: nowUs,
        averageLease: Number(state.split(' ')[9] ?? 0),
        processes,
        resumeInMs: resumeUs / 1_000,
        state,
        tooLate: granted === 0 && (call.mode === 'resume' || (call.mode === 'lease' && waitUs === 0)),
    };
}
/** `usPerFill`: how long the bucket takes to fill, in microseconds. */
function parseState(state, usPerFill) {
    if (state === '')
        return undefined;
    const [empty, , paused, , epoch = '', , resumed] = state.split(' ');
    const keptUntilUs = Math.max(Number(empty) + usPerFill, Number(paused), Number(resumed)) + 1e6;
    return { epoch, keptUntilUs };
}
/** An older reply than this comes from a server whose clock was set back. In microseconds. */
const MAX_REORDERING_US = 1e6;
/** Whether a newer reply came before this one, as may happen with several connections. */
function isOvertaken(atUs, newestAtUs) {
    const olderUs = newestAtUs - atUs;
    return olderUs > 0 && olderUs <= MAX_REORDERING_US;
}
//# sourceMappingURL=store-call.js.map