/** A member of a lane. */
export interface Linked<W> {
    readonly cost: number;
    next: W | undefined;
    previous: W | undefined;
}
/** A doubly linked list: any member can leave in constant time. */
export declare class Lane<W extends Linked<W>> {
    first: W | undefined;
    last: W | undefined;
    /** The sum of all costs. */
    cost: number;
    /** The next member that a search inspects; `undefined` if no search is under way. */
    searchAt: W | undefined;
    push(member: W): void;
    /** Adds a member in front of another. */
    insert(member: W, next: W): void;
    remove(member: W): void;
}
//# sourceMappingURL=lane.d.ts.map