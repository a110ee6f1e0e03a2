import type { PolicyOptions } from '@ebb/core';
import { property, warn } from '@ebb/core/adapter';
import ownAxios, { type AxiosStatic, type InternalAxiosRequestConfig } from 'axios';
import { loadedModules } from '#platform';

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
export type AxiosCopy = Pick<AxiosStatic, 'AxiosError' | 'AxiosHeaders' | 'CanceledError' | 'getAdapter'> &
  Partial<Pick<AxiosStatic, 'defaults' | 'VERSION'>>;

type Headers = InternalAxiosRequestConfig['headers'];

const NAMES = ['AxiosError', 'AxiosHeaders', 'CanceledError', 'getAdapter'] as const;

function isModule(value: unknown): value is AxiosCopy {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return NAMES.every((name) => typeof property(value, name) === 'function');
}

/**
 * The copy in what a module exports: `import *` has it under `default`, with its defaults. Not one of another major version, whose
 * internals may differ.
 */
function copyIn(exported: unknown): AxiosCopy | undefined {
  return [property(exported, 'default'), exported]
    .filter(isModule)
    .find(({ VERSION = '1.' }) => VERSION.startsWith('1.'));
}

/** @throws TypeError unless it is the module or `undefined`; an instance does not have the module's classes */
export function checkCopy(value: unknown): AxiosCopy | undefined {
  if (value === undefined) return undefined;
  const copy = copyIn(value);
  if (copy !== undefined) return copy;
  const got = isModule(value) ? `that of version ${value.VERSION}, which is not 1` : 'something else';
  throw new TypeError(`ebbInterceptor: axios must be the axios module itself, got ${got}`);
}

/** The one that this package imports. `undefined` if a mock has its place, or another major version. */
const own = copyIn(ownAxios);

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
export function copyOf(
  { headers }: InternalAxiosRequestConfig,
  given: AxiosCopy | undefined,
): AxiosCopy | undefined {
  if (given !== undefined) return given;
  if (own !== undefined && headers instanceof own.AxiosHeaders) return own;
  // No axios made these headers: the adapter was called directly.
  if (!areAxiosHeaders(headers)) return own;
  return loadedModules && loadedCopy(loadedModules, Object.getPrototypeOf(headers).constructor);
}

function areAxiosHeaders(headers: Headers | undefined): boolean {
  return headers?.[Symbol.toStringTag as never] === 'AxiosHeaders';
}

/** Whether another copy than this one made the headers. */
export function areForeign(headers: Headers, copy: AxiosCopy): boolean {
  return !(headers instanceof copy.AxiosHeaders) && areAxiosHeaders(headers);
}

/** The result for each `AxiosHeaders` class; `false` if its copy was not found. */
const copies = /* @__PURE__ */ new WeakMap<object, AxiosCopy | false>();

function loadedCopy(modules: () => Iterable<unknown>, AxiosHeaders: object): AxiosCopy | undefined {
  let copy = copies.get(AxiosHeaders);
  if (copy === undefined) {
    copy = first(modules(), (one) => one.AxiosHeaders === AxiosHeaders) ?? false;
    copies.set(AxiosHeaders, copy);
  }
  return copy || undefined;
}

function first(modules: Iterable<unknown>, fits: (copy: AxiosCopy) => boolean): AxiosCopy | undefined {
  for (const exported of modules) {
    const copy = copyIn(exported);
    if (copy !== undefined && fits(copy)) return copy;
  }
  return undefined;
}

/** The copy that stands in for those that cannot be found. */
let standIn: AxiosCopy | undefined;

/**
 * A copy of axios for requests whose own copy cannot be found, as in a bundle that has two. Warns once. `isAxiosError`
 * and `isCancel` look at marks, so they know its errors; `instanceof` does not.
 *
 * @returns `undefined` if there is none of this major version
 */
export function anyCopy(): AxiosCopy | undefined {
  if (standIn === undefined) {
    standIn = own ?? (loadedModules && first(loadedModules(), () => true));
    if (standIn !== undefined) {
      warn(
        'ebb: @ebb/axios cannot find the copy of axios that an instance belongs to, and sends its requests with ' +
          `another one, ${standIn.VERSION}. axios.isAxiosError and axios.isCancel know the errors, instanceof does not. ` +
          'Pass a copy to choose it: ebbInterceptor(policy, axios)',
      );
    }
  }
  return standIn;
}

/**
 * For what only a copy of axios can do: resolve an adapter by name, and make axios's own errors.
 *
 * @throws TypeError if there is none at all
 */
export function needCopy(copy: AxiosCopy | undefined): AxiosCopy {
  const found = copy ?? anyCopy();
  if (found !== undefined) return found;
  throw new TypeError(
    'ebb: @ebb/axios cannot find a copy of axios 1; pass the module: ebbInterceptor(policy, axios)',
  );
}

/** Options that have no state, so that a clone does as well: costs by unit are a plain object. */
const STATELESS = /^(clock|cost|actualCost)$/;

/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket.
 *
 * @throws TypeError that names the option
 */
export function checkShared(options: PolicyOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const isClone = Object(value) === value && Object.getPrototypeOf(value) === Object.prototype;
    if (isClone && !STATELESS.test(name)) {
      throw new TypeError(
        `ebb: ${name} must be an instance of a class, which axios does not copy for each request, got a plain object`,
      );
    }
  }
}
