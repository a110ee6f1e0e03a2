"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.micro = exports.EMPTY_BACKLOG = void 0;
exports.backlogOf = backlogOf;
/** No request waits. */
exports.EMPTY_BACKLOG = {
    ...{ count: 0, firstCost: 0, firstDeadlineMs: Number.POSITIVE_INFINITY, totalCost: 0 },
    through: (covered) => covered,
};
/** Millionths of a token, rounded up. */
const micro = (tokens) => Math.ceil(tokens * 1e6);
exports.micro = micro;
/** {@link Backlog.through} for these costs. */
function costThrough(costs, covered, more, most) {
    let sum = 0;
    let left = more;
    for (const cost of costs) {
        if (left <= 0)
            break;
        const next = sum + (0, exports.micro)(cost);
        if (left < more && next > covered + most)
            break;
        sum = next;
        if (sum > covered)
            left -= 1;
    }
    return Math.max(sum, covered);
}
/** The backlog of a queue. */
function backlogOf(queue) {
    if (queue.size === 0)
        return exports.EMPTY_BACKLOG;
    const firstCost = (0, exports.micro)(queue.firstCost);
    return {
        count: queue.size,
        firstCost,
        firstDeadlineMs: queue.firstDeadlineMs,
        // A sum of fractions may be a little less than its only part.
        totalCost: Math.max(firstCost, (0, exports.micro)(queue.cost)),
        through: (covered, more, most) => costThrough(queue.costsInTurn(), covered, more, most),
    };
}
//# sourceMappingURL=backlog.js.map