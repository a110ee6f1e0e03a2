import type { AxiosAdapter, AxiosStatic, InternalAxiosRequestConfig } from 'axios';
import type { Copy } from './axios-copy.ts';
import { type Fetch, watched } from './recording-fetch.ts';

type Adapters = NonNullable<InternalAxiosRequestConfig['adapter']>;

/** What axios itself tries, one after the other, if a config names no adapter. */
const DEFAULT_ADAPTERS: Adapters = ['xhr', 'http', 'fetch'];

type Env = { readonly fetch?: Fetch | undefined } | null | undefined;

/**
 * The adapter of a request, as its own copy of axios finds it. That of fetch is given a fetch that notes what
 * axios does not tell of a response.
 *
 * @throws AxiosError for a name that axios does not know, or that has no adapter here
 */
export function adapterOf(copy: Copy, config: InternalAxiosRequestConfig): AxiosAdapter {
  const chosen = config.adapter ?? (copy as Partial<AxiosStatic>).defaults?.adapter ?? DEFAULT_ADAPTERS;
  if (typeof chosen === 'function') return chosen;
  const found = copy.getAdapter(chosen, config);
  const { adapterName } = found as { adapterName?: string };
  const isOwn = Array.isArray(chosen) && chosen.includes(found);
  if (adapterName === 'http' || adapterName === 'xhr' || isOwn) return found;
  const env = config.env as Env;
  return copy.getAdapter('fetch', { ...config, env: { ...env, fetch: watched(env?.fetch) } } as never);
}
