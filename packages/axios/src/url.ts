import axios, { type InternalAxiosRequestConfig } from 'axios';

/** Puts URLs together as axios does, with no defaults of its own to mix in. */
const bare = new axios.Axios({});

/** With a scheme, or of the page's. */
const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;

/**
 * The URL of a request with all that axios puts into it; in a browser with all that the page adds. Never throws:
 * what is wrong with it axios tells when it is asked to send it.
 */
export function urlOf(config: InternalAxiosRequestConfig): string {
  const { url = '', params, allowAbsoluteUrls } = config;
  // Axios takes 3 µs for what is mostly the same.
  const isWhole = !params && allowAbsoluteUrls !== false && ABSOLUTE.test(url);
  return onPage(isWhole ? url : builtBy(config));
}

function builtBy({ url, baseURL, params, paramsSerializer, allowAbsoluteUrls }: InternalAxiosRequestConfig) {
  try {
    const parts = { url, baseURL, params, paramsSerializer, allowAbsoluteUrls };
    return bare.getUri(parts as object);
  } catch {
    return url ?? '';
  }
}

function onPage(url: string): string {
  const page = globalThis.location?.href;
  return page !== undefined && URL.canParse(url, page) ? new URL(url, page).href : url;
}
