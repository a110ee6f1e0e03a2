"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Lane = void 0;
/** A doubly linked list: any member can leave in constant time. */
class Lane {
    first;
    last;
    /** The sum of all costs. */
    cost = 0;
    /** The next member that a search inspects; `undefined` if no search is under way. */
    searchAt;
    push(member) {
        member.previous = this.last;
        if (this.last === undefined)
            this.first = member;
        else
            this.last.next = member;
        this.last = member;
        this.cost += member.cost;
    }
    /** Adds a member in front of another. */
    insert(member, next) {
        const { previous } = next;
        member.next = next;
        member.previous = previous;
        next.previous = member;
        if (previous === undefined)
            this.first = member;
        else
            previous.next = member;
        this.cost += member.cost;
    }
    remove(member) {
        const { next, previous } = member;
        if (member === this.searchAt)
            this.searchAt = next;
        if (previous === undefined)
            this.first = next;
        else
            previous.next = next;
        if (next === undefined)
            this.last = previous;
        else
            next.previous = previous;
        member.next = undefined;
        member.previous = undefined;
        // Reset when empty, so that rounding errors do not add up.
        this.cost = this.first === undefined ? 0 : this.cost - member.cost;
    }
}
exports.Lane = Lane;
//# sourceMappingURL=lane.js.map