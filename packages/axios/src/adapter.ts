import { isNativeFetch, property, type Way } from '@ebb/core/adapter';
import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import { type AxiosCopy, areForeign, needCopy } from './axios-copy.ts';

/** What a config may name as its adapter. */
export type Chosen = InternalAxiosRequestConfig['adapter'];

/** What axios tries, in this order, if a config names no adapter. */
const DEFAULT_ADAPTERS: NonNullable<Chosen> = ['xhr', 'http', 'fetch'];

type Env = { readonly fetch?: Fetch | undefined } | null | undefined;

/** The adapter of a request, and which layers of ebb may be below it. */
export interface Found {
  readonly adapter: AxiosAdapter;
  readonly way: Way;
}

/**
 * Resolves the adapter of a request as its copy of axios does. The fetch adapter gets a fetch that records the status
 * and the redirects that axios does not pass on.
 *
 * @throws AxiosError if axios does not know the name, or the adapter does not work in this runtime
 * @throws TypeError if the adapter has a name, and there is no copy of axios at all
 */
export function adapterOf(
  copy: AxiosCopy | undefined,
  chosen: Chosen,
  config: InternalAxiosRequestConfig,
): Found {
  return typeof chosen === 'function'
    ? { adapter: chosen, way: 'converted' }
    : resolved(needCopy(copy), chosen, config);
}

function resolved(copy: AxiosCopy, named: Chosen, config: InternalAxiosRequestConfig): Found {
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
): Found {
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

/** What a fetch response says and axios does not pass on. */
interface RecordedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly redirected: boolean;
  readonly url: string;
}

/** Keyed by the `Request` that axios passes to fetch and exposes as `request` in its response or error. */
const records = new WeakMap<object, RecordedResponse>();

export function recordedResponse(request: unknown): RecordedResponse | undefined {
  return typeof request === 'object' && request !== null ? records.get(request) : undefined;
}

/** One wrapper for each fetch, or for the global one: axios builds an adapter for each fetch that it is given, and caches it. */
const wrappers = new WeakMap<object, Fetch>();

/** A fetch that records each response. Without `base` it calls the global fetch as it is at the time of the call. */
function recordingFetch(base: Fetch | undefined): Fetch {
  const key = base ?? globalThis;
  const known = wrappers.get(key);
  if (known !== undefined) return known;
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
