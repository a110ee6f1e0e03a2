import { type Failover, type FailoverOptions, failoverWith } from '@ebb/core/failover';
import type { AxiosResponse } from 'axios';
import type { AxiosRequest } from './axios-request.ts';
import { exchange, type Fields } from './config.ts';

/**
 * The plugin `failover` of `@ebb/fetch/failover` for the policies of axios clients. The config in a response or an error names the origin of
 * its caller.
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
    const { config } = request;
    if (config === undefined) throw new TypeError('failover of @ebb/axios: for requests of axios alone');
    const { url, baseURL, params } = config;
    const own: Fields = Object.entries({ url, baseURL, params });
    const moveTo = (to: string | undefined): void => {
      request.uri = to;
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
