import type { RequestTraits } from '@ebb/core';
import { readableBody, responseHeader } from '@ebb/core/adapter';
import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';
import type { RequestBody } from './body/request-body.ts';

/** Builds URLs as axios does, without the defaults of any instance. Made late: a mock of axios may lack the class. */
let bare: Pick<AxiosInstance, 'getUri'> | undefined;

/** With a scheme, or protocol-relative. */
const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;

/**
 * The URL of a request with `baseURL` and `params` applied, and in a browser resolved against the page. Never
 * throws: axios itself reports an invalid URL when the request is sent.
 */
function urlOf(config: InternalAxiosRequestConfig): string {
  const { url = '', baseURL, params, paramsSerializer, allowAbsoluteUrls } = config;
  let built = url;
  // `getUri` takes 3 µs, and mostly returns the URL unchanged.
  if (params || allowAbsoluteUrls === false || !ABSOLUTE.test(url)) {
    try {
      bare ??= new axios.Axios({});
      built = bare.getUri({ url, baseURL, params, paramsSerializer, allowAbsoluteUrls } as object);
    } catch {
      // A mock has no `getUri`, and some parameters cannot be serialized.
    }
  }
  const page = globalThis.location?.href;
  return page !== undefined && URL.canParse(built, page) ? new URL(built, page).href : built;
}

/** One header of a request or a response: an `AxiosHeaders`, whose values may be lists or `false`, or what a custom adapter has. */
export function headerOf(headers: unknown, name: string): string | undefined {
  const value: unknown = responseHeader(headers, name);
  if (value === undefined || value === false) return undefined;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** What a policy can ask about a request. Read from the config on each call, so an unused trait costs nothing. */
export abstract class Traits implements RequestTraits {
  readonly config: InternalAxiosRequestConfig;
  protected readonly content: RequestBody;
  #url: string | undefined;

  constructor(config: InternalAxiosRequestConfig, content: RequestBody) {
    this.config = config;
    this.content = content;
  }

  get method(): string {
    return (this.config.method ?? 'GET').toUpperCase();
  }

  get url(): string {
    this.#url ??= urlOf(this.config);
    return this.#url;
  }

  get replayable(): boolean {
    return this.content.replayable;
  }

  /** As `transformRequest` has left it. A body that is made anew for each attempt is no one's to look at. */
  get body(): unknown {
    return this.content.isReplaced ? undefined : readableBody(this.config.data);
  }

  header(name: string): string | undefined {
    return headerOf(this.config.headers, name);
  }
}
