import { adaptiveThrottle, createPolicy, type Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import {
  allLimits,
  bucket,
  everyThirdSucceeds,
  inTurn,
  mixed,
  type Send,
  type Subject,
  type Subjects,
  url,
  withShortWaits,
} from './subject.ts';

class StubResponse {
  readonly status = 200;
  readonly ok = true;
}
const stubFetch = (async () => new StubResponse()) as unknown as typeof fetch;

const HEADERS: [string, string][] = [
  ['content-type', 'text/plain'],
  ['date', 'Sat, 21 Nov 2026 12:00:00 GMT'],
];
const responseFetch: typeof fetch = async () => new Response('hello', { headers: HEADERS });

function responding(base: typeof fetch, policy: Policy): Subject {
  const ebb = createFetch(policy, base);
  return { bare: () => base(url), ebb: () => ebb(url) };
}

function reading(policy: Policy): Subject {
  const ebb = createFetch(policy, responseFetch);
  return {
    bare: async () => (await responseFetch(url)).text(),
    ebb: async () => (await ebb(url)).text(),
  };
}

function underSignal(): Subject {
  const ebb = createFetch(createPolicy(), stubFetch);
  const { signal } = new AbortController();
  return { bare: () => stubFetch(url, { signal }), ebb: () => ebb(url, { signal }) };
}

/** Over a fetch of its own. */
function stubbed(policy?: Policy): Send {
  const base = (async () => new StubResponse()) as unknown as typeof fetch;
  const send = policy === undefined ? base : createFetch(policy, base);
  return () => send(url);
}

/** Over a fetch of its own that returns a `Response`: limits read its headers, and hold a slot until its body is read. */
function readOver(policy?: Policy): Send {
  const base: typeof fetch = async () => new Response('hello', { headers: HEADERS });
  const send = policy === undefined ? base : createFetch(policy, base);
  return async () => (await send(url)).text();
}

/** Requests are fast and not hedged. */
function hedging(): Subject {
  const policy = createPolicy();
  const ebb = createFetch(policy, hedged(responseFetch, { policy }));
  return { bare: () => responseFetch(url), ebb: () => ebb(url) };
}

/** Against the loop that a user would write. */
function failing(): Subject {
  const failingFetch = (): typeof fetch => {
    const status = everyThirdSucceeds();
    return async () => new Response(null, { status: status() });
  };
  const base = failingFetch();
  const bare = async (): Promise<Response> => {
    for (;;) {
      const response = await base(url);
      if (response.status !== 503) return response;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const ebb = createFetch(withShortWaits(), failingFetch());
  return { bare, ebb: () => ebb(url) };
}

export const subjects: Subjects = {
  'fetch, stub response': () => responding(stubFetch, createPolicy()),
  'fetch, ten clients': () => inTurn(stubbed),
  'fetch, ten clients, five with limits': () => mixed(readOver),
  'fetch, under a signal': underSignal,
  fetch: () => responding(responseFetch, createPolicy()),
  'fetch, bucket': () => responding(responseFetch, createPolicy({ bucket: bucket() })),
  'fetch, throttle': () => responding(responseFetch, createPolicy({ throttle: adaptiveThrottle() })),
  'fetch, bucket, throttle': () =>
    responding(responseFetch, createPolicy({ bucket: bucket(), throttle: adaptiveThrottle() })),
  'fetch, hedged': hedging,
  'fetch, all limits, body read': () => reading(allLimits()),
  'fetch, 503 503 200': failing,
};
