import type { PolicyOptions } from '@ebb/core';
import { type AxiosStatic, type InternalAxiosRequestConfig } from 'axios';
/**
 * The axios module itself, as `import` or `require` returns it. Loosely typed: axios ships separate type
 * declarations for its ES module and its CommonJS build, and they are not assignable to each other.
 */
export interface AxiosModule {
    readonly AxiosError: unknown;
    readonly AxiosHeaders: unknown;
    readonly CanceledError: unknown;
    readonly getAdapter: unknown;
}
/** The parts of a loaded copy of axios that ebb uses. */
export type AxiosCopy = Pick<AxiosStatic, 'AxiosError' | 'AxiosHeaders' | 'CanceledError' | 'getAdapter'> & Partial<Pick<AxiosStatic, 'defaults' | 'VERSION'>>;
type Headers = InternalAxiosRequestConfig['headers'];
/** @throws TypeError unless it is the module or `undefined`; an instance does not have the module's classes */
export declare function checkCopy(value: unknown): AxiosCopy | undefined;
/**
 * The copy of axios for a request: the one that the user passed, or else the one that the request belongs to, whose
 * class made its headers.
 *
 * In Node `import` and `require` load two copies with separate classes. An error made by the wrong copy is not an
 * `instanceof` the caller's `AxiosError`.
 *
 * @param given the copy that the user passed to the interceptor
 * @returns `undefined` if the copy cannot be found
 */
export declare function copyOf({ headers }: InternalAxiosRequestConfig, given: AxiosCopy | undefined): AxiosCopy | undefined;
/** Whether another copy than this one made the headers. */
export declare function areForeign(headers: Headers, copy: AxiosCopy): boolean;
/**
 * A copy of axios for requests whose own copy cannot be found, as in a bundle that has two. Warns once. `isAxiosError`
 * and `isCancel` look at marks, so they know its errors; `instanceof` does not.
 *
 * @returns `undefined` if there is none of this major version
 */
export declare function anyCopy(): AxiosCopy | undefined;
/**
 * For what only a copy of axios can do: resolve an adapter by name, and make axios's own errors.
 *
 * @throws TypeError if there is none at all
 */
export declare function needCopy(copy: AxiosCopy | undefined): AxiosCopy;
/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket. A clock has no state.
 *
 * @throws TypeError that names the option
 */
export declare function checkShared(options: PolicyOptions): void;
export {};
//# sourceMappingURL=axios-copy.d.ts.map