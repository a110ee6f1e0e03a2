/** True for a promise, of any library. */
export declare function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T>;
//# sourceMappingURL=promise.d.ts.map