import { ebbInterceptor } from '@ebb/undici';
import { dispatcherFetchClient, type Undici, undiciClient } from '../../undici-client.ts';
import { fetchSlotRows, fetchSlotWays } from './fetch-slots.ts';
import type { Subject } from './subject.ts';
import { type UndiciResult, undiciSlotRows, undiciSlotWays } from './undici-slots.ts';

/** `request` of a version of undici. */
export function undiciSubject(undici: Undici): Subject<UndiciResult> {
  return {
    make: (policy) => undiciClient(undici, policy),
    slots: {
      rows: undiciSlotRows,
      ways: undiciSlotWays,
      open(policy) {
        const agent = new undici.Agent();
        const dispatcher = agent.compose(ebbInterceptor(policy));
        return {
          get: (url, method) => undici.request(url, { method: method as 'GET', dispatcher }),
          close: () => agent.destroy(),
        };
      },
    },
  };
}

/** The fetch of the runtime over a dispatcher of a version of undici. */
export function dispatcherFetchSubject(undici: Undici): Subject<Response> {
  return {
    make: (policy) => dispatcherFetchClient(fetch, undici, policy),
    slots: {
      rows: fetchSlotRows,
      ways: fetchSlotWays,
      open(policy) {
        const agent = new undici.Agent();
        const dispatcher = agent.compose(ebbInterceptor(policy));
        return {
          get: (url, method) => fetch(url, { method, dispatcher } as RequestInit),
          close: () => agent.destroy(),
        };
      },
    },
  };
}
