"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.spread = spread;
/**
 * Places labels at their wished heights, or as near to them as possible: no label overlaps another or leaves the stretch
 * from `top` to `bottom`, and they keep their order. Heights are those of the middles.
 */
function spread(wished, heights, top, bottom) {
    const order = wished
        .map((_, at) => at)
        .sort((a, b) => wished[a] - wished[b] || a - b);
    // After subtracting the heights of the labels above, the labels are points that may not pass each other.
    let above = 0;
    const offsets = order.map((at) => {
        const height = heights[at];
        above += height;
        return above - height / 2;
    });
    const groups = [];
    for (const [rank, at] of order.entries()) {
        let group = { sum: wished[at] - offsets[rank], members: 1 };
        // Labels that touch move as one group, to the mean of their wishes.
        for (let last = groups.at(-1); last && last.sum / last.members > group.sum / group.members;) {
            group = { sum: last.sum + group.sum, members: last.members + group.members };
            groups.pop();
            last = groups.at(-1);
        }
        groups.push(group);
    }
    const places = groups.flatMap(({ sum, members }) => {
        const place = Math.max(top, Math.min(sum / members, bottom - above));
        return new Array(members).fill(place);
    });
    const result = new Array(wished.length);
    for (const [rank, at] of order.entries())
        result[at] = places[rank] + offsets[rank];
    return result;
}
//# sourceMappingURL=labels.js.map