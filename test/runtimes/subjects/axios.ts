import { ebbInterceptor } from '@ebb/axios';
import axios from 'axios';
import { axiosClient } from '../../axios-client.ts';
import {
  type AxiosResult,
  axiosSlotRows,
  axiosSlotWays,
  axiosStreamRows,
  axiosStreamWays,
} from './axios-slots.ts';
import type { Subject } from './subject.ts';

/** axios over one of its adapters. `stream` makes an upload stream of the kind that the adapter takes. */
export function axiosSubject(
  adapter: 'http' | 'fetch' | 'xhr',
  stream: (text: string) => unknown,
): Subject<AxiosResult> {
  const hasStreams = adapter !== 'xhr';
  return {
    make: (policy) => axiosClient(policy, { adapter }, stream),
    slots: {
      rows: hasStreams ? [...axiosSlotRows, ...axiosStreamRows] : axiosSlotRows,
      ways: hasStreams ? [...axiosSlotWays, ...axiosStreamWays] : axiosSlotWays,
      open(policy) {
        const client = axios.create({ adapter });
        client.interceptors.request.use(ebbInterceptor(policy));
        return {
          get: (url, method, config) =>
            client.request({ url, method, ...config }).catch((error: Error) => error),
          close: async () => undefined,
        };
      },
    },
  };
}
