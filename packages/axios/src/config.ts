import type { PolicyOptions } from '@ebb/core';
import { LAYER, type SentHeaders } from '@ebb/core/adapter';
import axios, { type AxiosInstance, type InternalAxiosRequestConfig } from 'axios';

// The URL of a config, and the fields of a config that an attempt changes.

export type Config = InternalAxiosRequestConfig;

/** Builds URLs as axios does, without the defaults of any instance. Made late: a mock of axios may lack the class. */
let bare: Pick<AxiosInstance, 'getUri'> | undefined;

/** With a scheme, or protocol-relative. */
const ABSOLUTE = /^([a-z][a-z\d+\-.]*:)?\/\//i;

/**
 * The URL of a request with `baseURL` and `params` applied, and in a browser resolved against the page. Never
 * throws: axios itself reports an invalid URL when the request is sent.
 */
export function urlOf(config: Config): string {
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

/** Headers of the same class, which may be another copy's, with these values. */
export function copyWith(headers: Config['headers'], values: object | undefined): Config['headers'] {
  return Object.assign(Object.create(Object.getPrototypeOf(headers)), values);
}

/** A copy of the headers with the changes of an attempt. Adapters write into it too: the original stays as it is. */
export function changeHeaders(headers: Config['headers'], changes: SentHeaders): Config['headers'] {
  const copy = copyWith(headers, headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) copy.delete(name);
    else copy.set(name, value, true);
  }
  return copy;
}

/**
 * Fields of a config. `undefined` stands for a missing field. A list, because reading the keys of an object takes longer than all the rest.
 */
export type Fields = (readonly [name: PropertyKey, value: unknown])[];

/** Changes fields of a config, and returns what they were. */
export function exchange(config: object, fields: Fields): Fields {
  const target = config as Record<PropertyKey, unknown>;
  return fields.map(([name, value]) => {
    const before = target[name];
    if (value === undefined) delete target[name];
    else target[name] = value;
    return [name, before];
  });
}

/** A config that carries the call around it. */
interface MarkedConfig {
  fetchOptions?: { [LAYER]?: unknown };
}

/**
 * The fields of a config from which ebb layers below know that this one retries. The mark stands in its `fetchOptions`, which are
 * passed to fetch, and which another axios instance receives as a copy. The caller's `ebb` options are for this layer alone.
 */
export function withContext({ fetchOptions, ebb }: Config & MarkedConfig, layer: object): Fields {
  const fields: Fields = [['fetchOptions', { ...fetchOptions, [LAYER]: layer }]];
  if (ebb !== undefined) fields.push(['ebb', undefined]);
  return fields;
}

/** The mark that an outer layer left in a config, which loses it: the config of the response does not show it. */
export function takeMark(config: Config & MarkedConfig): unknown {
  if (config.fetchOptions?.[LAYER] === undefined) return undefined;
  const { [LAYER]: mark, ...others } = config.fetchOptions;
  config.fetchOptions = others;
  return mark;
}

/** Options without state, for which a clone does as well: plain objects, such as costs by unit. */
const STATELESS = /^(clock|cost|actualCost|retryAfter)$/;

/**
 * Rejects a bucket, limit or budget that axios has cloned into the config of a request. A clone has state of its
 * own, so each request would silently get a full bucket.
 *
 * @throws TypeError that names the option
 */
export function checkShared(options: PolicyOptions): void {
  for (const [name, value] of Object.entries(options)) {
    const isClone = Object(value) === value && Object.getPrototypeOf(value) === Object.prototype;
    if (isClone && !STATELESS.test(name)) {
      throw new TypeError(
        `ebb: ${name} must be an instance of a class, which axios does not copy for each request, got a plain object`,
      );
    }
  }
}
