// Also runs in browsers: imports nothing from Node.
import type { AdapterUnderTest } from '@ebb/core/testing/suite';

/** What the suite must know of a client with ebb. */
type Traits = Pick<AdapterUnderTest, 'differs' | 'does' | 'lacks' | 'timeoutError'>;

export type ClientName = 'fetch' | 'axios' | 'undici';

/** What the suite must know of each client, wherever it runs. */
export const traits: Readonly<Record<ClientName, Traits>> = {
  fetch: {},
  axios: {
    does: ['wholeBodies'],
    timeoutError: 'AxiosError',
    differs: {
      'an abort beforehand': {
        reason: undefined,
        thrown: 'CanceledError',
        why: 'axios itself rejects before it sends',
      },
    },
  },
  undici: {
    does: ['resumes'],
    timeoutError: 'HeadersTimeoutError',
    lacks: { redirects: 'request of undici follows none without an interceptor' },
  },
};
