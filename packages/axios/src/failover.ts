import { type Failover, type FailoverOptions, failoverWith } from '@ebb/core/failover';
import type { AxiosResponse } from 'axios';
import type { AxiosRequest } from './axios-request.ts';
import { exchange, type Fields } from './config.ts';

/**
 * A plugin for the policies of axios clients: a retry goes to the next of several origins that serve the same requests. An origin that
 * fails several times in a row is left out for a while, and returns once a single request, the probe, has succeeded there. If all are left
 * out, requests go to the one that has been out for longest.
 *
 * A request goes to the origin of its URL, or to the next one in the list if the first is left out. The policy decides whether it is sent
 * again, and after which delay, as for a single origin; only a wait that one origin asks for does not hold for another. Limits per key take
 * from the limit of the origin that each attempt goes to. Requests to origins that are not in the list stay as they are. The config
 * in a response or an error names the origin of its caller.
 *
 * The listed origins are trusted: each gets all headers of a request, credentials included.
 *
 * Source of the ejections: Envoy, "Outlier detection".
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { ebbInterceptor } from '@ebb/axios';
 * import { failover } from '@ebb/axios/failover';
 * import axios from 'axios';
 *
 * const origins = ['https://eu.example.com', 'https://us.example.com'];
 * const client = axios.create({ baseURL: 'https://eu.example.com' });
 * client.interceptors.request.use(ebbInterceptor({ attemptTimeoutMs: 2_000, plugins: [failover({ origins })] }));
 * const { data } = await client.get('/items');
 * ```
 */
export function failover(options: FailoverOptions): Failover {
  return failoverWith<AxiosResponse>((client) => {
    const request = client as AxiosRequest;
    const { config, route } = request;
    if (config === undefined || route === undefined)
      throw new TypeError('failover of @ebb/axios: for requests of axios alone');
    const { url, baseURL, params } = config;
    const own: Fields = Object.entries({ url, baseURL, params });
    const moveTo = (to: string | undefined): void => {
      exchange(
        config,
        to === undefined
          ? own
          : [
              ['url', to],
              ['baseURL', undefined],
              ['params', undefined],
            ],
      );
    };
    return [request, moveTo];
  }, options);
}
