/**
 * A property of an unknown value; `undefined` if reading it throws. Some runtimes reject with errors whose getters throw,
 * and a `Proxy` may do anything. Such a defect must not replace the error itself.
 */
export declare function property(of: unknown, name: PropertyKey): unknown;
/** True if an unknown object has a property; false if looking for it throws. */
export declare function hasProperty(of: object, name: PropertyKey): boolean;
//# sourceMappingURL=property.d.ts.map