import type { RequestTraits } from '@ebb/core';
import { readableBody } from '@ebb/core/adapter';
import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import type { RequestBody } from './body/request-body.ts';
import { headerOf } from './response.ts';

/** Builds URLs as axios does, without the defaults of any instance. Made late: a mock of axios may lack the class. */
let bare: Pick<AxiosInstance, 'getUri'> | undefined;

/** With a scheme, or protocol-relative. */
const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;

/**
 * The URL of a request with `baseURL` and `params` applied, and in a browser resolved against the page. Never
 * throws: axios itself reports an invalid URL when the request is sent.
 */
function urlOf(config: InternalAxiosRequestConfig): string {
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

/** What a policy can ask about a request. Read from the config on each call, so an unused trait costs nothing. */
export class Traits implements RequestTraits {
  readonly config: InternalAxiosRequestConfig;
  readonly #body: RequestBody;
  #url: string | undefined;

  constructor(config: InternalAxiosRequestConfig, body: RequestBody) {
    this.config = config;
    this.#body = body;
  }

  get method(): string {
    return (this.config.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    this.#url ??= urlOf(this.config);
    return this.#url;
  }

  get replayable(): boolean {
    return this.#body.replayable;
  }

  /** As `transformRequest` has left it. A body that is made anew for each attempt is no one's to look at. */
  get body(): unknown {
    return this.#body.isReplaced ? undefined : readableBody(this.config.data);
  }

  header(name: string): string | undefined {
    return headerOf(this.config.headers, name);
  }
}
