import type { DeduplicateOptions, InnermostMiddleware } from '@ebb/core';
import { property } from '@ebb/core/adapter';
import { type DeduplicatePort, deduplicateWith, signature } from '@ebb/core/deduplicate';
import type { AxiosError, AxiosResponse } from 'axios';
import { AxiosRequest } from './axios-request.ts';
import { type Config, copyWith } from './config.ts';

/** The response types whose data can be copied: text, and bytes. */
const COPIED = /^(json|text|arraybuffer)?$/;

/** Text is shared, and bytes are copied; `undefined` for anything else, such as an object of a custom adapter. */
function copyOf(data: unknown): unknown {
  if (typeof data === 'string' || data === null) return data;
  if (data instanceof ArrayBuffer) return data.slice(0);
  // `from` also copies a `Buffer`; its `slice` would not.
  return ArrayBuffer.isView(data)
    ? (data.constructor as typeof Uint8Array).from(data as Uint8Array)
    : undefined;
}

/** The response as that of another request. */
function responseFor(
  response: AxiosResponse,
  { config }: AxiosRequest,
  data: unknown = response.data,
): AxiosResponse {
  const headers = copyWith(response.headers as Config['headers'], response.headers);
  return { ...response, data, headers, config };
}

const configOf = (client: unknown): Config => (client as AxiosRequest).config;

const requests: DeduplicatePort<AxiosResponse> = {
  signatureOf(client) {
    const request = client as AxiosRequest;
    const { config, route, method } = request;
    if (config === undefined) throw new TypeError('deduplicate of @ebb/axios: for requests of axios alone');
    // These fields are part of `request.url`.
    const { url, baseURL, params, paramsSerializer, allowAbsoluteUrls, ...all } = config;
    const { data, headers: own, signal, cancelToken, method: _, ...others } = all;
    const isShared = /^(GET|HEAD)$/.test(method) && (data ?? undefined) === undefined;
    if (!isShared || !COPIED.test(config.responseType ?? '')) return undefined;
    const headers = Object.entries({ ...own })
      .filter(([, value]) => value !== undefined && value !== null && value !== false)
      .map(([name, value]) => [name.toLowerCase(), value]);
    return signature([
      route.adapter,
      method,
      request.url,
      others,
      headers.map((one) => signature(one)).sort(),
    ]);
  },

  under(client, signal, call) {
    const { config, route } = client as AxiosRequest;
    const { cancelToken: _, ...others } = config;
    const headers = copyWith(config.headers, config.headers);
    const request = new AxiosRequest(route, { ...others, headers, signal });
    request.begin(call, { signal });
    return request;
  },

  last: (response, client) => responseFor(response, client as AxiosRequest),

  copy(response, client) {
    const data = copyOf(response.data);
    return data === undefined ? undefined : responseFor(response, client as AxiosRequest, data);
  },

  errorOf(error, client) {
    if (property(error, 'isAxiosError') !== true) return error;
    const { response, stack } = error as AxiosError;
    const own = response && (requests.copy(response, client) ?? requests.last(response, client));
    // A field that is undefined is not there in an error of axios.
    return Object.create(Object.getPrototypeOf(error), {
      ...Object.getOwnPropertyDescriptors(error as AxiosError),
      config: { value: configOf(client), writable: true, enumerable: true, configurable: true },
      stack: { value: stack, writable: true, configurable: true },
      ...(own && { response: { value: own, writable: true, enumerable: true, configurable: true } }),
    });
  },
};

/**
 * Middleware for the policies of axios clients: equal requests that are in flight at the same time share one send, and each gets a response
 * or an error of its own. Requests are equal if they are GETs, or HEADs, of one client and policy, with the same URL and config, all
 * headers included. A request with a body, with `ebb` options, or with a `responseType` other than `json`, `text` and `arraybuffer`, is
 * sent by itself.
 *
 * A caller that aborts ends its own wait. Once all have aborted, the send is aborted.
 *
 * In Cloudflare Workers each request must make its own middleware: a request that uses the middleware of another request gets a TypeError.
 *
 * @throws TypeError for a wrong option
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import { deduplicate } from '@ebb/axios/deduplicate';
 * import axios from 'axios';
 *
 * const client = axios.create();
 * client.interceptors.request.use(ebbInterceptor({ middleware: [deduplicate()] }));
 * const [one, other] = await Promise.all([1, 2].map(() => client.get('https://api.example.com/items')));
 * ```
 */
export function deduplicate(options: DeduplicateOptions = {}): InnermostMiddleware {
  return deduplicateWith(requests, options);
}
