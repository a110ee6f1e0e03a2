import { createFetch } from '@ebb/fetch';
import { fetchClient } from '../../fetch-client.ts';
import { createFetchSlotRows, fetchSlotWays } from './fetch-slots.ts';
import type { Subject } from './subject.ts';

/** The fetch of the runtime. */
export const subject: Subject<Response> = {
  make: (policy) => fetchClient(policy),
  slots: {
    rows: createFetchSlotRows,
    ways: fetchSlotWays,
    open(policy) {
      const ebbFetch = createFetch(policy);
      return { get: (url, method) => ebbFetch(url, { method }), close: async () => undefined };
    },
  },
};
