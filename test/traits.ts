// Also runs in browsers: imports nothing from Node.
import type { AdapterUnderTest, Difference } from '@ebb/testing';

/** What the suite must know of a client with ebb. */
type Traits = Pick<AdapterUnderTest, 'differs' | 'does' | 'lacks' | 'timeoutError'>;

export type ClientName = 'fetch' | 'axios' | 'undici';

/** axios over sockets: its error carries the response whose body breaks, and does not over a fetch or in a page. */
export const axiosOverHttp: Readonly<Record<string, Difference>> = {
  'a bucket that rejects a retry: reading a response that breaks off fails': {
    status: 503,
    why: 'the error of axios carries the response',
  },
};

const LEFT = { timers: 1, why: 'the end of a body is not seen: the timer aborts nothing, in the background' };

/** fetch by the entry for browsers and workers, with a total timeout that covers the body. */
export const timersLeft: Readonly<Record<string, Difference>> = {
  'a slow-200 within a total timeout that covers it': LEFT,
  'a short body within a total timeout that covers it': LEFT,
  'a POST with a key that timed out, with interactive()': LEFT,
};

const UNTRUSTED: Difference = {
  hits: 0,
  status: undefined,
  body: undefined,
  carried: { header: 'authorization', values: [] },
  thrown: 'TypeError',
  reason: undefined,
  why: 'the origin of a request may be chosen by a dispatcher, and not by the caller',
};

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
    timeoutError: 'HeadersTimeoutError',
    lacks: { redirects: 'request of undici follows none without an interceptor' },
    differs: {
      'a credential of one request, without trustedOrigins': UNTRUSTED,
      'a credential of a plugin of one request, without trustedOrigins': UNTRUSTED,
    },
  },
};
