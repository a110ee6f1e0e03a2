import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';

/** Builds URLs as axios does, without the defaults of any instance. Made late: a mock of axios may lack the class. */
let bare: Pick<AxiosInstance, 'getUri'> | undefined;

/** With a scheme, or protocol-relative. */
const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;

/**
 * The URL of a request with `baseURL` and `params` applied, and in a browser resolved against the page. Never
 * throws: axios itself reports an invalid URL when the request is sent.
 */
export function urlOf(config: InternalAxiosRequestConfig): string {
  const { url = '', params, allowAbsoluteUrls } = config;
  // `getUri` takes 3 µs, and mostly returns the URL unchanged.
  const isWhole = !params && allowAbsoluteUrls !== false && ABSOLUTE.test(url);
  return resolveOnPage(isWhole ? url : builtByAxios(config));
}

function builtByAxios({
  url,
  baseURL,
  params,
  paramsSerializer,
  allowAbsoluteUrls,
}: InternalAxiosRequestConfig) {
  try {
    const parts = { url, baseURL, params, paramsSerializer, allowAbsoluteUrls };
    bare ??= new axios.Axios({});
    return bare.getUri(parts as object);
  } catch {
    return url ?? '';
  }
}

function resolveOnPage(url: string): string {
  const page = globalThis.location?.href;
  return page !== undefined && URL.canParse(url, page) ? new URL(url, page).href : url;
}
