import ownAxios, { type AxiosStatic, type InternalAxiosRequestConfig } from 'axios';

/**
 * The axios module itself, as `import` or `require` gives it. Loosely typed, since the types that axios has for
 * the one are not those that it has for the other.
 */
export interface AxiosModule {
  readonly AxiosError: unknown;
  readonly AxiosHeaders: unknown;
  readonly CanceledError: unknown;
  readonly getAdapter: unknown;
}

/** What is used of it. */
export type Copy = Pick<AxiosStatic, 'AxiosError' | 'AxiosHeaders' | 'CanceledError' | 'getAdapter'>;

const NAMES = ['AxiosError', 'AxiosHeaders', 'CanceledError', 'getAdapter'] as const;

function isCopy(value: unknown): value is Copy {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return NAMES.every((name) => typeof (value as AxiosModule)[name] === 'function');
}

/** @throws TypeError for anything but the module: an instance has none of its classes */
export function checkCopy(value: unknown): Copy | undefined {
  if (value === undefined || isCopy(value)) return value;
  throw new TypeError('ebbInterceptor: axios takes the axios module itself, and was given something else');
}

/**
 * The copy of axios that a request belongs to: of those that are loaded, the one that made its headers.
 *
 * In Node `import` and `require` give two copies, with classes of their own each. An error that another copy
 * makes is not an `instanceof` the `AxiosError` of the caller.
 *
 * @returns `undefined` if it is none that can be found
 */
export function copyOf(config: InternalAxiosRequestConfig, given: Copy | undefined): Copy | undefined {
  const { headers } = config;
  if (given !== undefined && headers instanceof given.AxiosHeaders) return given;
  if (headers instanceof ownAxios.AxiosHeaders) return ownAxios;
  // No axios has made these: the adapter was called without one.
  if (headers?.[Symbol.toStringTag as never] !== 'AxiosHeaders') return given ?? ownAxios;
  return requiredCopy(Object.getPrototypeOf(headers).constructor);
}

/** By the class of headers, since a class is never loaded a second time. */
const required = new WeakMap<object, Copy | false>();

function requiredCopy(AxiosHeaders: object): Copy | undefined {
  let copy = required.get(AxiosHeaders);
  if (copy === undefined) {
    copy = requiredModules().find((one) => isCopy(one) && one.AxiosHeaders === AxiosHeaders) as
      | Copy
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

/** What `require` has loaded so far under a name with axios in it. To look at more may call getters of others. */
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

/** An instance's copy is needed to find the adapter of a name, and to make axios's own errors. */
export function needCopy(copy: Copy | undefined): Copy {
  if (copy !== undefined) return copy;
  throw new TypeError(
    'ebb: this instance is of another copy of axios than @ebb/axios has loaded; name it: ebbInterceptor(policy, axios)',
  );
}
