import ownAxios, { type AxiosStatic, type InternalAxiosRequestConfig } from 'axios';

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
export type AxiosCopy = Pick<AxiosStatic, 'AxiosError' | 'AxiosHeaders' | 'CanceledError' | 'getAdapter'>;

const NAMES = ['AxiosError', 'AxiosHeaders', 'CanceledError', 'getAdapter'] as const;

function isCopy(value: unknown): value is AxiosCopy {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return NAMES.every((name) => typeof (value as AxiosModule)[name] === 'function');
}

/** @throws TypeError unless it is the module or `undefined`; an instance does not have the module's classes */
export function checkCopy(value: unknown): AxiosCopy | undefined {
  if (value === undefined || isCopy(value)) return value;
  throw new TypeError('ebbInterceptor: axios must be the axios module itself, got something else');
}

/**
 * The loaded copy of axios that a request belongs to: the one whose class made its headers.
 *
 * In Node `import` and `require` load two copies with separate classes. An error made by the wrong copy is not an
 * `instanceof` the caller's `AxiosError`.
 *
 * @param given the copy that the user passed to the interceptor
 * @returns `undefined` if the copy cannot be found
 */
export function copyOf(
  config: InternalAxiosRequestConfig,
  given: AxiosCopy | undefined,
): AxiosCopy | undefined {
  const { headers } = config;
  if (given !== undefined && headers instanceof given.AxiosHeaders) return given;
  if (headers instanceof ownAxios.AxiosHeaders) return ownAxios;
  // No axios made these headers: the adapter was called directly.
  if (headers?.[Symbol.toStringTag as never] !== 'AxiosHeaders') return given ?? ownAxios;
  return requiredCopy(Object.getPrototypeOf(headers).constructor);
}

/** The result for each `AxiosHeaders` class; `false` if its copy was not found. */
const required = new WeakMap<object, AxiosCopy | false>();

function requiredCopy(AxiosHeaders: object): AxiosCopy | undefined {
  let copy = required.get(AxiosHeaders);
  if (copy === undefined) {
    copy = requiredModules().find((one) => isCopy(one) && one.AxiosHeaders === AxiosHeaders) as
      | AxiosCopy
      | undefined;
    required.set(AxiosHeaders, copy ?? false);
  }
  return copy || undefined;
}

type RequireCache = Readonly<Record<string, { readonly exports?: unknown } | undefined>>;

interface NodeLike {
  readonly process?: {
    readonly execPath: string;
    getBuiltinModule?(id: string): { createRequire(path: string): { cache?: RequireCache } } | undefined;
  };
}

/** The modules in the `require` cache with axios in their path. Reading others could trigger their getters. */
function requiredModules(): unknown[] {
  const { process } = globalThis as NodeLike;
  try {
    const cache = process?.getBuiltinModule?.('node:module')?.createRequire(process.execPath).cache ?? {};
    const paths = Object.keys(cache).filter((path) => /axios/i.test(path));
    return paths.map((path) => cache[path]?.exports);
  } catch {
    // A runtime that has the function, but no such cache.
    return [];
  }
}

/**
 * For what only the request's own copy can do: resolve an adapter by name, and make axios's own errors.
 *
 * @throws TypeError without a copy
 */
export function needCopy(copy: AxiosCopy | undefined): AxiosCopy {
  if (copy !== undefined) return copy;
  throw new TypeError(
    'ebb: @ebb/axios cannot find the copy of axios that this instance belongs to; pass it: ebbInterceptor(policy, axios)',
  );
}
