/** Replaces the members of a response that give access to its body. */
export interface BodyInterceptor {
    /** `text()`, `json()` and the like; `native` is the response's own method. */
    read(response: Response, native: (this: Response) => Promise<unknown>): Promise<unknown>;
    /** `body` */
    stream(response: Response, native: () => unknown): unknown;
    /** `clone()` */
    clone(response: Response, native: () => Response): Response;
}
/**
 * Sets the interceptor of a response, in place of an earlier one. The response stays the same object of the same class
 * and gets no property: its prototype is replaced with one that derives from it.
 *
 * @returns false for a response that cannot be changed: a frozen one, or a mock
 */
export declare function interceptBody(response: Response, interceptor: BodyInterceptor): boolean;
/** The interceptor of a response, if it has one. */
export declare function interceptorOf(response: Response): BodyInterceptor | undefined;
/** The body of a response, without its interceptor. */
export declare function nativeBody(response: Response): unknown;
/** A clone of a response, without its interceptor; `undefined` for a mock without `clone()`. */
export declare function nativeClone(response: Response): Response | undefined;
//# sourceMappingURL=intercept-body.d.ts.map