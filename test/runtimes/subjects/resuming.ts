import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import { clientOf } from '../../fetch-client.ts';
import { createFetchSlotRows, fetchSlotWays } from './fetch-slots.ts';
import type { Subject } from './subject.ts';

/** The fetch of the runtime, whose bodies go on after a break. */
export const subject: Subject<Response> = {
  make: (policy) => clientOf(resumable(createFetch(policy), { policy })),
  slots: {
    rows: createFetchSlotRows,
    ways: fetchSlotWays,
    open(policy) {
      const fetch = resumable(createFetch(policy), { policy });
      return { get: (url, method) => fetch(url, { method }), close: async () => undefined };
    },
  },
};
