"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.checkObject = checkObject;
exports.checkNames = checkNames;
exports.checkBoolean = checkBoolean;
exports.checkApi = checkApi;
/** @throws TypeError unless the value is an object */
function checkObject(caller, name, value) {
    if (typeof value !== 'object' || value === null)
        throw wrong(caller, name, 'an object', value);
}
/** @throws TypeError if there is an option that is not known, such as a misspelt one */
function checkNames(caller, options, known) {
    const other = Object.keys(options).find((name) => !known.includes(name));
    if (other === undefined)
        return;
    throw new TypeError(`${caller} has no option ${JSON.stringify(other)}; it takes ${known.join(', ')}`);
}
/** @throws TypeError unless the value is a boolean */
function checkBoolean(caller, name, value) {
    if (typeof value !== 'boolean')
        throw wrong(caller, name, 'a boolean', value);
}
/** @throws TypeError unless the value has the method */
function checkApi(caller, name, value, method, expected) {
    const has = typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
    if (!has)
        throw wrong(caller, name, expected, value);
}
function wrong(caller, name, expected, value) {
    const given = typeof value === 'object' && value !== null ? 'an object' : String(value);
    return new TypeError(`${caller}: ${name} must be ${expected}, got ${given}`);
}
//# sourceMappingURL=check.js.map