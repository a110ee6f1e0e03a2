import type { AxiosAdapter, AxiosStatic, InternalAxiosRequestConfig } from 'axios';
import type { AxiosCopy } from './axios-copy.ts';
import { type Fetch, recordingFetch } from './recording-fetch.ts';

type Adapters = NonNullable<InternalAxiosRequestConfig['adapter']>;

/** What axios tries, in this order, if a config names no adapter. */
const DEFAULT_ADAPTERS: Adapters = ['xhr', 'http', 'fetch'];

type Env = { readonly fetch?: Fetch | undefined } | null | undefined;

/**
 * Resolves the adapter of a request as the request's own copy of axios does. The fetch adapter gets a fetch that
 * records the status and the redirects that axios does not pass on.
 *
 * @throws AxiosError if axios does not know the name, or the adapter does not work in this runtime
 */
export function adapterOf(copy: AxiosCopy, config: InternalAxiosRequestConfig): AxiosAdapter {
  const chosen = config.adapter ?? (copy as Partial<AxiosStatic>).defaults?.adapter ?? DEFAULT_ADAPTERS;
  if (typeof chosen === 'function') return chosen;
  const found = copy.getAdapter(chosen, config);
  const { adapterName } = found as { adapterName?: string };
  const isCustom = Array.isArray(chosen) && chosen.includes(found);
  if (adapterName === 'http' || adapterName === 'xhr' || isCustom) return found;
  const env = config.env as Env;
  return copy.getAdapter('fetch', { ...config, env: { ...env, fetch: recordingFetch(env?.fetch) } } as never);
}
