"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.interceptBody = interceptBody;
exports.interceptorOf = interceptorOf;
exports.nativeBody = nativeBody;
exports.nativeClone = nativeClone;
/** Methods that read a whole body; the last two belong to node-fetch. */
const READ_METHODS = [
    'json',
    'text',
    'arrayBuffer',
    'blob',
    'bytes',
    'formData',
    'buffer',
    'textConverted',
];
/** A constructor that returns its argument: a class that extends it adds its private fields to that object. */
const Given = function given(object) {
    return object;
};
/** A response with an interceptor. A private field is several times as fast as a `WeakMap`. */
class Intercepted extends Given {
    #interceptor;
    constructor(response, interceptor) {
        super(response);
        this.#interceptor = interceptor;
    }
    /** Replaces the interceptor; returns false if there is none. */
    static replace(response, interceptor) {
        if (!(#interceptor in response))
            return false;
        response.#interceptor = interceptor;
        return true;
    }
    static get(response) {
        return #interceptor in response ? response.#interceptor : undefined;
    }
}
/** The derived prototype of each native one. */
const derivedOf = new WeakMap();
/** The native prototype of each derived one. */
const nativeOf = new WeakMap();
/** The native prototype of the last response, and the one that derives from it: a program often has only one. */
let lastNative;
let lastDerived;
function hasBodyGetter(prototype) {
    for (let at = prototype; at !== null; at = Object.getPrototypeOf(at)) {
        const found = Object.getOwnPropertyDescriptor(at, 'body');
        if (found !== undefined)
            return found.get !== undefined;
    }
    return false;
}
/** A prototype that overrides the members on the way to the body, with the same names and kinds of property. */
function derive(from) {
    const members = {
        get body() {
            const native = () => Reflect.get(from, 'body', this);
            const interceptor = Intercepted.get(this);
            return interceptor === undefined ? native() : interceptor.stream(this, native);
        },
        clone() {
            const native = () => from.clone.call(this);
            const interceptor = Intercepted.get(this);
            return interceptor === undefined ? native() : interceptor.clone(this, native);
        },
    };
    const descriptors = Object.getOwnPropertyDescriptors(members);
    for (const name of READ_METHODS) {
        const native = from[name];
        if (typeof native !== 'function')
            continue;
        const { [name]: value } = {
            [name]() {
                const interceptor = Intercepted.get(this);
                return interceptor === undefined ? native.call(this) : interceptor.read(this, native);
            },
        };
        descriptors[name] = { value, configurable: true, enumerable: true, writable: true };
    }
    return Object.create(from, descriptors);
}
/** The prototype that derives from a native one; `undefined` for that of a mock, whose body cannot be observed. */
function derivedFrom(native) {
    if (native === lastNative)
        return lastDerived;
    // Something may have copied the prototype of an intercepted response, such as a proxy.
    if (nativeOf.has(native))
        return native;
    let derived = derivedOf.get(native);
    if (derived === undefined) {
        if (!hasBodyGetter(native))
            return undefined;
        derived = derive(native);
        derivedOf.set(native, derived);
        nativeOf.set(derived, native);
    }
    lastNative = native;
    lastDerived = derived;
    return derived;
}
/**
 * Sets the interceptor of a response, in place of an earlier one. The response stays the same object of the same class
 * and gets no property: its prototype is replaced with one that derives from it.
 *
 * @returns false for a response that cannot be changed: a frozen one, or a mock
 */
function interceptBody(response, interceptor) {
    if (Intercepted.replace(response, interceptor))
        return true;
    const prototype = Object.getPrototypeOf(response);
    if (prototype === null || Object.hasOwn(response, 'body'))
        return false;
    const derived = derivedFrom(prototype);
    if (derived === undefined || !Reflect.setPrototypeOf(response, derived))
        return false;
    new Intercepted(response, interceptor);
    return true;
}
/** The interceptor of a response, if it has one. */
function interceptorOf(response) {
    return Intercepted.get(response);
}
function nativePrototype(response) {
    const prototype = Object.getPrototypeOf(response);
    return (nativeOf.get(prototype) ?? response);
}
/** The body of a response, without its interceptor. */
function nativeBody(response) {
    return Reflect.get(nativePrototype(response), 'body', response);
}
/** A clone of a response, without its interceptor; `undefined` for a mock without `clone()`. */
function nativeClone(response) {
    const { clone } = nativePrototype(response);
    return typeof clone === 'function' ? clone.call(response) : undefined;
}
//# sourceMappingURL=intercept-body.js.map