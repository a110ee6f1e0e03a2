"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.difference = difference;
exports.check = check;
/** A value as text, in which `undefined` differs from a value that is not there. */
function textOf(value) {
    return JSON.stringify(value, (_, part) => (part === undefined ? '(undefined)' : part)) ?? '(undefined)';
}
/** Says what differs, with both values; `undefined` if they are the same. */
function difference(what, got, expected) {
    const [one, other] = [textOf(got), textOf(expected)];
    return one === other ? undefined : `${what}: expected ${other}, got ${one}`;
}
/**
 * Fails if something differs.
 *
 * @param differences what {@link difference} returned
 * @param cause what the call rejected with
 */
function check(differences, cause) {
    const found = differences.filter((one) => one !== undefined);
    if (found.length > 0)
        throw new Error(found.join('\n'), { cause });
}
//# sourceMappingURL=same.js.map