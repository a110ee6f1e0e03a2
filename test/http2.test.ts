import { attemptsOf, constant, createPolicy, type Policy } from '@ebb/core';
import * as undici8 from 'undici';
import * as undici7 from 'undici7';
import { expect, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { type Client, fetchClient, type Sent } from './fetch-client.ts';
import { type Act, answer, breakOff, goAwayAfter, goAwayBefore, http2Server, reset } from './http2-server.ts';
import { nodeStream } from './node-stream.ts';
import { pairs } from './pairs.ts';
import { type Undici, undiciClient } from './undici-client.ts';
import { turns } from './until.ts';

// HTTP/2 over TLS. undici 8 speaks it by default.

const connect = { rejectUnauthorized: false };

type Version = typeof undici8;

/** With agents that trust the server. */
function trusting({ Agent, request, fetch }: Version): Pick<Version, 'Agent' | 'request' | 'fetch'> {
  const options = { allowH2: true, connect };
  const Trusting = class extends Agent {
    constructor() {
      super(options);
    }
  };
  return { Agent: Trusting as typeof Agent, request, fetch };
}

function fetchOver(undici: Version, policy: Policy): Client {
  const { Agent, fetch } = trusting(undici);
  const dispatcher = new Agent();
  const client = fetchClient(policy, { dispatcher }, fetch as unknown as typeof globalThis.fetch);
  return { ...client, close: () => dispatcher.destroy() };
}

function axiosOverFetch(undici: Version, policy: Policy): Client {
  const { Agent, fetch } = trusting(undici);
  const dispatcher = new Agent();
  // After a redirect it could not tell which hop has failed.
  const config = {
    adapter: 'fetch',
    env: { fetch, Request: undici.Request, Response: undici.Response },
    fetchOptions: { dispatcher, redirect: 'error' },
  };
  const client = axiosClient(policy, config as object, nodeStream);
  return { ...client, close: () => dispatcher.destroy() };
}

const v7 = undici7 as unknown as Version;
type MakeClient = (policy: Policy) => Client;

const clients: Readonly<Record<string, MakeClient>> = {
  'fetch of undici 8': (policy) => fetchOver(undici8, policy),
  'fetch of undici 7': (policy) => fetchOver(v7, policy),
  'axios over the fetch of undici 8': (policy) => axiosOverFetch(undici8, policy),
  'axios over node:http2': (policy) =>
    axiosClient(policy, { httpVersion: 2, http2Options: connect } as object, nodeStream),
  'undici 8': (policy) => undiciClient(trusting(undici8) as Undici, policy),
  'undici 7': (policy) => undiciClient(trusting(v7) as Undici, policy),
};

/** Nothing was processed, so any request goes again; or the connection broke, and only an idempotent one does. */
type Meaning = 'refused' | 'network';

interface Row {
  /** They follow an answer on the same connection. */
  readonly acts: readonly Act[];
  readonly means: Meaning;
  /** Some clients cannot tell. */
  readonly differs?: Readonly<Record<string, Meaning>>;
}

const refuse = reset('NGHTTP2_REFUSED_STREAM');
/** undici 7 fails every stream of the connection with the same error. */
const undici7Fails = { 'undici 7': 'network', 'fetch of undici 7': 'network' } as const;
/** Node ends all streams with the error. */
const nodeFails = { 'axios over node:http2': 'network' } as const;

const rows: Readonly<Record<string, Row>> = {
  // undici 8 repeats it once by itself, unless its body is a stream.
  'REFUSED_STREAM, twice': { acts: [refuse, refuse], means: 'refused' },
  'a GOAWAY with an earlier stream': {
    acts: [goAwayBefore('NGHTTP2_NO_ERROR')],
    means: 'refused',
    differs: undici7Fails,
  },
  'a GOAWAY with an earlier stream, and an error': {
    acts: [goAwayBefore('NGHTTP2_ENHANCE_YOUR_CALM')],
    means: 'refused',
    differs: { ...undici7Fails, ...nodeFails },
  },
  'a GOAWAY with the stream, and the end of the connection': {
    acts: [goAwayAfter('NGHTTP2_NO_ERROR')],
    means: 'network',
  },
  'a GOAWAY with the stream, and an error': {
    acts: [goAwayAfter('NGHTTP2_INTERNAL_ERROR')],
    means: 'network',
  },
  INTERNAL_ERROR: { acts: [reset('NGHTTP2_INTERNAL_ERROR')], means: 'network' },
  CANCEL: { acts: [reset('NGHTTP2_CANCEL')], means: 'network' },
  'a stream that is half closed': { acts: [reset('NGHTTP2_NO_ERROR')], means: 'network' },
  'the end of the connection': { acts: [breakOff], means: 'network' },
};

/** axios over node:http2 listens to the errors of a stream alone: without ebb it never settles. */
const HANGS_AXIOS = /and the end of|half closed|CANCEL|^the end/;

/** Idempotent, or not; undici repeats no stream by itself. */
const requests: Readonly<Record<string, Sent>> = {
  'a GET': {},
  'a POST of a text': { method: 'POST', body: 'x' },
  'a POST of a stream that a function makes': { method: 'POST', factory: 'x' },
};

const meaningOf = (client: string, name: string): Meaning => {
  const { means, differs } = rows[name] as Row;
  return differs?.[client] ?? means;
};

const cases = pairs(
  Object.keys(clients).flatMap((client) =>
    Object.keys(rows)
      .filter((name) => client !== 'axios over node:http2' || !HANGS_AXIOS.test(name))
      .flatMap((name) => Object.keys(requests).map((request) => [client, name, request] as const)),
  ),
  ([client, name, request]) => [client, name, request, meaningOf(client, name)],
);

/** A request of a client after another, and what came of its attempts. */
async function send(client: string, acts: Row['acts'], sent: Sent) {
  await using server = await http2Server(answer(), ...acts);
  const policy = createPolicy({
    backoff: constant(0),
    trustedOrigins: () => true,
    // undici drops a session that is destroyed some turns later.
    beforeAttempt: async ({ attempt }) => {
      if (attempt > 1) await turns(8);
      return undefined;
    },
  });
  const { send, history, close } = (clients[client] as MakeClient)(policy);
  await send(server.url, {});
  const got = await send(server.url, sent).then(
    ({ status }) => ({ status, attempts: history?.() ?? [] }),
    (error: unknown) => ({ status: undefined, attempts: attemptsOf(error) }),
  );
  void close();
  const failed = got.attempts.filter(({ reason }) => reason !== 'success');
  const reasons = failed.map(({ failure, status, reason }) => `${failure ?? status}: ${reason}`);
  return { status: got.status, reasons: [...new Set(reasons)], requests: server.requests() - 1 };
}

test.each(cases)('%s: after %s %s goes again if it may', async (client, name, request) => {
  const { acts } = rows[name] as Row;
  const sent = requests[request] as Sent;
  const means = meaningOf(client, name);
  const got = await send(client, acts, sent);
  const isOnce = means === 'network' && sent.method === 'POST';
  const expected =
    means === 'refused' ? 'connect: refused' : `network: ${isOnce ? 'not-idempotent' : 'transient'}`;
  expect([got.status, got.requests]).toEqual(isOnce ? [undefined, 1] : [200, acts.length + 1]);
  // undici 8 may have repeated it by itself.
  if (got.reasons.length > 0 || !client.endsWith('undici 8')) expect(got.reasons).toEqual([expected]);
});

test.each(['undici 8', 'fetch of undici 8'])(
  '%s: a stream that undici has repeated by itself is no redirect: a 429 after it is a refusal',
  async (client) => {
    const { status, reasons, requests } = await send(client, [refuse, answer(429)], {
      method: 'POST',
      body: 'x',
    });
    expect([status, requests]).toEqual([200, 3]);
    expect(reasons.at(-1)).toBe('429: refused');
  },
);
