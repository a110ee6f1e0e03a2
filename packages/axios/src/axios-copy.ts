import { isNativeFetch, property, type Way, warn } from '@ebb/core/adapter';
import ownAxios, { type AxiosAdapter, type AxiosStatic, type InternalAxiosRequestConfig } from 'axios';

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
  Partial<Pick<AxiosStatic, 'CancelToken' | 'defaults' | 'VERSION'>>;

const NAMES = ['AxiosError', 'AxiosHeaders', 'CanceledError', 'getAdapter'] as const;

function isModule(value: unknown): value is AxiosCopy {
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

/** Whether another copy than this one made the headers. */
function areForeign(headers: unknown, copy: AxiosCopy): boolean {
  return !(headers instanceof copy.AxiosHeaders) && property(headers, Symbol.toStringTag) === 'AxiosHeaders';
}

let hasWarned = false;

/**
 * The copy of axios that resolves adapters by name and makes axios's own errors: the user's copy, or else the imported copy. Warns once if
 * an instance belongs to another copy: in Node `import` and `require` load two copies with separate classes, and an error made by the wrong
 * copy is not an `instanceof` the caller's `AxiosError`.
 *
 * @returns `undefined` if there is none of this major version
 */
export function copyFor(
  { headers }: Pick<InternalAxiosRequestConfig, 'headers'>,
  given: AxiosCopy | undefined,
): AxiosCopy | undefined {
  const copy = given ?? own;
  if (given === undefined && own !== undefined && !hasWarned && areForeign(headers, own)) {
    hasWarned = true;
    warn(
      'ebb: @ebb/axios does not know the copy of axios that an instance belongs to, and sends its requests with ' +
        `another one, ${own.VERSION}. axios.isAxiosError and axios.isCancel know the errors, instanceof does not. ` +
        'Pass a copy to choose it: ebbInterceptor(policy, axios)',
    );
  }
  return copy;
}

/** @throws TypeError if there is no copy at all */
export function needCopy(config: InternalAxiosRequestConfig, given: AxiosCopy | undefined): AxiosCopy {
  const copy = copyFor(config, given);
  if (copy !== undefined) return copy;
  throw new TypeError(
    'ebb: @ebb/axios cannot find a copy of axios 1; pass the module: ebbInterceptor(policy, axios)',
  );
}

/** The adapter in a config: a function, a name, or a list of both. */
export type AdapterChoice = InternalAxiosRequestConfig['adapter'];

/** The adapters that axios tries, in this order, for a config without an adapter. */
const DEFAULT_ADAPTERS: NonNullable<AdapterChoice> = ['xhr', 'http', 'fetch'];

type Env = { readonly fetch?: Fetch | undefined } | null | undefined;

/** The adapter of a request, and which layers of ebb may be below it. */
export interface AdapterRoute {
  readonly adapter: AxiosAdapter;
  readonly way: Way;
}

/**
 * Resolves the adapter of a request as axios does. The fetch adapter gets a fetch that records the status and the redirects, because axios
 * does not pass them on.
 *
 * @param given the copy of axios that the user passed
 * @throws AxiosError if axios does not know the name, or the adapter does not work in this runtime
 * @throws TypeError if the adapter has a name, and there is no copy of axios at all
 */
export function adapterOf(
  given: AxiosCopy | undefined,
  named: AdapterChoice,
  config: InternalAxiosRequestConfig,
): AdapterRoute {
  if (typeof named === 'function') return { adapter: named, way: 'converted' };
  const copy = needCopy(config, given);
  const isForeign = areForeign(config.headers, copy);
  // The defaults of another copy are not those of this instance.
  const chosen = named ?? (isForeign ? undefined : copy.defaults?.adapter) ?? DEFAULT_ADAPTERS;
  const found = copy.getAdapter(chosen, config);
  const isCustom = found === chosen || (Array.isArray(chosen) && chosen.includes(found));
  const route = routeBy(copy, found, isCustom, config);
  return isForeign && !isCustom ? { way: route.way, adapter: withHeadersOf(copy, route.adapter) } : route;
}

function routeBy(
  copy: AxiosCopy,
  found: AxiosAdapter,
  isCustom: boolean,
  config: InternalAxiosRequestConfig,
): AdapterRoute {
  const adapterName = property(found, 'adapterName');
  if (adapterName === 'xhr') return { adapter: found, way: isNativeXhr() ? 'socket' : 'converted' };
  if (adapterName === 'http') return { adapter: found, way: config.transport ? 'converted' : 'socket' };
  if (isCustom) return { adapter: found, way: 'converted' };
  const env = config.env as Env;
  const fetch = env?.fetch;
  const adapter = copy.getAdapter('fetch', { env: { ...env, fetch: recordingFetch(fetch) } } as never);
  return { adapter, way: isNativeFetch(fetch ?? globalThis.fetch) ? 'native-fetch' : 'converted' };
}

/**
 * An adapter for a config of another copy. axios reads the headers of another class as an iterable, which drops those that
 * are `false` and keep axios from setting its own, or before 1.8 as one name. Its adapters read them in the turn in which
 * they are called.
 */
function withHeadersOf({ AxiosHeaders }: AxiosCopy, adapter: AxiosAdapter): AxiosAdapter {
  return (config) => {
    const { headers } = config;
    config.headers = new AxiosHeaders({ ...headers });
    try {
      return adapter(config);
    } finally {
      config.headers = headers;
    }
  };
}

/** False for a polyfill, which may send over a fetch with ebb. */
function isNativeXhr(): boolean {
  const xhr = property(globalThis, 'XMLHttpRequest');
  return typeof xhr === 'function' && Function.prototype.toString.call(xhr).includes('[native code]');
}

type Fetch = typeof globalThis.fetch;

/** The parts of a fetch response that axios does not pass on. */
interface RecordedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly redirected: boolean;
  readonly url: string;
}

/** Keyed by the `Request` that axios passes to fetch and exposes as `request` in its response or error. */
const records = new WeakMap<object, RecordedResponse>();

export function recordedResponse(request: unknown): RecordedResponse | undefined {
  return records.get(request as object);
}

/**
 * The wrapper of each fetch; the key of the global fetch is `globalThis`. Kept, because axios builds and caches an adapter for each fetch.
 */
const wrappers = new WeakMap<object, Fetch>();

/** A fetch that records each response. Without `base` it calls the global fetch as it is at the time of the call. */
function recordingFetch(base: Fetch | undefined): Fetch {
  const key = base ?? globalThis;
  const known = wrappers.get(key);
  if (known) return known;
  const fetchAndRecord: Fetch = async (input, init) => {
    // Called as a plain function: a browser's fetch throws on a foreign `this`.
    const fetch = base ?? globalThis.fetch;
    const response = await fetch(input, init);
    if (typeof input === 'object') {
      const { status, headers, redirected, url } = response;
      records.set(input, { status, headers, redirected, url });
    }
    return response;
  };
  wrappers.set(key, fetchAndRecord);
  return fetchAndRecord;
}
