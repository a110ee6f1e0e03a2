// Bundled and run in workers: imports nothing from Node.
import {
  adaptive,
  adaptiveThrottle,
  concurrencyLimit,
  createPolicy,
  fairQueue,
  type PolicyOptions,
  perKey,
  quotaBucket,
  refreshOn401,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { deduplicate } from '@ebb/fetch/deduplicate';
import { hedged } from '@ebb/hedge/fetch';

/** A client, with something that its calls share. */
export interface Client {
  readonly make: (origin: string) => (url: string, init: RequestInit) => Promise<Response>;
  /** What the server does with its requests. */
  readonly path: 'ok' | 'slow' | 'busy' | 'secret';
  /** What its calls share belongs to a request, which cannot wait for others: from when it is made, or from its first use. */
  readonly isBound?: 'when made' | 'when used';
}

/** The time between two tokens, in milliseconds. */
export const TOKEN_MS = 20;
const RATE = { refillPerSecond: 1_000 / TOKEN_MS, capacity: 1 };

/** What the slow requests take, and the delay of a hedge, in milliseconds. */
export const SLOW_MS = 150;
const HEDGE_MS = 30;

function client(path: Client['path'], options: () => PolicyOptions, isBound?: Client['isBound']): Client {
  const make = (): ReturnType<Client['make']> => createFetch({ backoff: () => 5, ...options() });
  return { make, path, ...(isBound && { isBound }) };
}

const slots = () => concurrencyLimit({ maxConcurrent: 1 });

export const CLIENTS: Readonly<Record<string, Client>> = {
  'no limit': client('busy', () => ({})),
  tokenBucket: client('ok', () => ({ bucket: tokenBucket(RATE) })),
  'tokenBucket, with retries': client('busy', () => ({ bucket: tokenBucket(RATE) })),
  'tokenBucket, with a fair queue': client('ok', () => ({
    bucket: tokenBucket({ ...RATE, queue: fairQueue() }),
    fairKey: ({ url }) => url,
  })),
  adaptive: client('ok', () => ({ bucket: adaptive({ ...RATE, minRefillPerSecond: 40 }) })),
  quotaBucket: client('ok', () => ({
    bucket: quotaBucket({ limits: { rate: RATE, day: { refillPerSecond: 1, capacity: 1_000 } } }),
  })),
  'quotaBucket, settled': client(
    'ok',
    () => ({ bucket: quotaBucket({ limits: { tokens: { ...RATE, chargeOn: 'completion' } } }) }),
    'when made',
  ),
  'tokenBucket per key': client('ok', () => ({ bucket: perKey(() => tokenBucket(RATE)) })),
  concurrencyLimit: client('slow', () => ({ concurrency: slots() }), 'when made'),
  'concurrencyLimit per key': client('slow', () => ({ concurrency: perKey(slots) }), 'when used'),
  retryBudget: client('busy', () => ({ budget: retryBudget({ reserve: 10 }) })),
  // Not 'busy': three failures in a row, and how many requests are answered in time depends on which of them comes first.
  throttle: client('ok', () => ({ throttle: adaptiveThrottle() })),
  deduplicate: client('slow', () => ({ middleware: [deduplicate()] }), 'when made'),
  hedged: {
    make() {
      const policy = createPolicy();
      const base: typeof fetch = (input, init) => globalThis.fetch(input, init);
      return createFetch(policy, hedged(base, { policy, delayMs: HEDGE_MS, share: 1 }));
    },
    path: 'slow',
  },
  refreshOn401: {
    make(origin) {
      const refresh = async () => ({ authorization: await (await fetch(`${origin}/token`)).text() });
      return createFetch({ trustedOrigins: [origin], plugins: [refreshOn401({ refresh })] });
    },
    path: 'secret',
    isBound: 'when made',
  },
};
