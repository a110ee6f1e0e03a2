import { Agent as HttpAgent } from 'node:http';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import {
  adaptiveThrottle,
  attemptsOf,
  type Classify,
  classifyHttp,
  constant,
  createPolicy,
  type EbbEvent,
  type Policy,
  type PolicyOptions,
  tokenBucket,
} from '@ebb/core';
import { type VirtualClock, virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { hedged as hedgedAdapter } from '@ebb/hedge/axios';
import { hedged } from '@ebb/hedge/fetch';
import { hedged as hedgedDispatcher } from '@ebb/hedge/undici';
import { suite } from '@ebb/testing';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosError, type AxiosResponse } from 'axios';
import { HttpResponse } from 'msw';
import { Agent, request } from 'undici';
import { Agent as NodeFetchAgent } from 'undici7';
import { describe, expect, onTestFinished, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { fetchClient } from './fetch-client.ts';
import { mock, mockBehindServer } from './msw.ts';
import { nodeStream } from './node-stream.ts';
import { eachNth } from './pairs.ts';
import { axiosOverHttp, traits } from './traits.ts';
import { undiciClient } from './undici-client.ts';
import { turns, until } from './until.ts';

/** An agent that hedges below what is composed with it. */
function hedging(policy: Policy, more: object = {}): typeof Agent {
  return class extends Agent {
    override compose(...interceptors: never[]) {
      return super.compose(hedgedDispatcher({ policy, ...more }), ...interceptors);
    }
  } as typeof Agent;
}

// Whether a request may be hedged is not to be seen in anything else: with a delay that is not known there is no hedge. Each row is played over one of the clients.
suite(eachNth({ describe, test }, 3, 0), {
  ...traits.fetch,
  name: 'fetch over hedged, over sockets',
  client: (policy, limits) => {
    const agent = new NodeFetchAgent(limits ?? {});
    const client = fetchClient(policy, { dispatcher: agent }, hedged(fetch, { policy }));
    return { ...client, close: () => agent.close() };
  },
});
suite(eachNth({ describe, test }, 3, 1), {
  ...traits.undici,
  name: 'undici over hedge, over sockets',
  client: (policy, limits) => undiciClient({ Agent: hedging(policy), request }, policy, limits),
});

suite(eachNth({ describe, test }, 3, 2), {
  ...traits.axios,
  differs: { ...traits.axios.differs, ...axiosOverHttp },
  name: 'axios over hedged, over sockets',
  client: (policy, limits) => {
    const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
    const config = { adapter: hedgedAdapter({ policy }), ...(agent && { httpAgent: agent }) };
    return { ...axiosClient(policy, config, nodeStream), close: async () => agent?.destroy() };
  },
});

/** What a client got: a response, also one that its own result shows as an error, and what has the history. */
interface Got {
  readonly status: number;
  readonly text: string;
  readonly result: unknown;
}

interface Hedging {
  readonly over: typeof mock;
  /** The client, which can be used more than once. */
  client(policy: Policy, more: object): (url: string) => Promise<Got>;
}

function overAxios(adapter: string, over: typeof mock): Hedging {
  return {
    over,
    client(policy, more) {
      const client = axios.create({ adapter: hedgedAdapter({ policy, ...more }, adapter) });
      client.interceptors.request.use(ebbAxios(policy));
      return async (url) => {
        try {
          const result = await client.get<string>(url);
          return { status: result.status, text: result.data, result };
        } catch (error) {
          const { status, data } = (error as AxiosError<string>).response as AxiosResponse<string>;
          return { status, text: data, result: error };
        }
      };
    },
  };
}

const CLIENTS: Readonly<Record<string, Hedging>> = {
  fetch: {
    over: mock,
    client(policy, more) {
      const client = createFetch(policy, hedged(fetch, { policy, ...more }));
      return async (url) => {
        const result = await client(url);
        return { status: result.status, text: await result.text(), result };
      };
    },
  },
  'axios, http': overAxios('http', mock),
  // axios keeps the global `Request` that its adapter has seen first: not that of MSW.
  'axios, fetch': overAxios('fetch', mockBehindServer),
  undici: {
    over: mockBehindServer,
    client(policy, more) {
      const dispatcher = new (hedging(policy, more))().compose(ebbUndici(policy));
      return async (url) => {
        const { statusCode, body, context } = await request(url, { dispatcher });
        return { status: statusCode, text: await body.text(), result: context };
      };
    },
  },
};

/** What each try is answered with, 0 for a lost connection, and which ones are, in this order. Each attempt has two tries, which have come before. */
interface Script {
  readonly statuses: readonly number[];
  readonly order: readonly number[];
  /** No attempt has a second try. */
  readonly isAlone?: boolean;
}

describe.each(Object.entries(CLIENTS))('%s over MSW', (_, { over, client }) => {
  /** A client of a service that follows a script. Each try that comes ends the delay of the hedge. */
  async function play(
    { statuses, order, isAlone }: Script,
    options: PolicyOptions = {},
    clock: VirtualClock = virtualClock(),
  ) {
    const answered = new Map<number, () => void>();
    const events: EbbEvent[] = [];
    let sends = 0;
    let judged = 0;
    const classify: Classify = (outcome) => {
      judged += 1;
      return classifyHttp(outcome);
    };
    const onEvent = (event: EbbEvent): void => void events.push(event);
    const policy = createPolicy({ maxRetries: 0, clock, classify, onEvent, ...options });
    /** One after the other: the client has judged what came before. */
    const answer = async (): Promise<void> => {
      for (const number of order) {
        const before = judged;
        await until(() => answered.has(isAlone ? number : number | 1));
        // Until then a hedge would have come.
        if (isAlone) await turns(20);
        answered.get(number)?.();
        // No policy judges a connection that is lost.
        if (statuses[number] === 0) await turns(50);
        else if (number !== order.at(-1)) await until(() => judged > before);
      }
    };
    const mocked = await over(async () => {
      const number = sends;
      sends += 1;
      const gate = new Promise<void>((open) => answered.set(number, open));
      void clock.advance(10);
      await gate;
      const status = statuses[number] ?? 200;
      return status === 0 ? HttpResponse.error() : new HttpResponse(`try ${number}`, { status });
    });
    onTestFinished(async () => void (await mocked.close?.()));
    const send = client(policy, { delayMs: 10, share: 1 });
    return { send: () => send(mocked.url), answer, events, sends: () => sends };
  }

  test.each<[string, Script, string, object]>([
    ['the hedge wins', { statuses: [], order: [1] }, '200 try 1', { won: true, outcome: { status: 200 } }],
    ['the first try wins', { statuses: [], order: [0] }, '200 try 0', { won: false, outcome: undefined }],
    [
      'a hedge that fails does not win',
      { statuses: [200, 503], order: [1, 0] },
      '200 try 0',
      { won: false, outcome: { status: 503 } },
    ],
    [
      'a first try that fails waits for its hedge',
      { statuses: [503, 200], order: [0, 1] },
      '200 try 1',
      { won: true, outcome: { status: 200 } },
    ],
    [
      'of two failures the first try counts',
      { statuses: [503, 429], order: [1, 0] },
      '503 try 0',
      { won: false, outcome: { status: 429 } },
    ],
    [
      'also if it comes first',
      { statuses: [503, 429], order: [0, 1] },
      '503 try 0',
      { won: false, outcome: { status: 429 } },
    ],
    [
      'a 404 is an answer',
      { statuses: [200, 404], order: [1] },
      '404 try 1',
      { won: true, outcome: { status: 404 } },
    ],
  ])('%s', async (_name, script, expected, hedge) => {
    const { send, answer, events, sends } = await play(script);
    const [{ status, text, result }] = await Promise.all([send(), answer()]);
    expect(`${status} ${text}`).toBe(expected);
    expect(sends()).toBe(2);
    expect(attemptsOf(result)).toMatchObject([{ attempt: 1, status, hedges: [{ delayMs: 10, ...hedge }] }]);
    expect(events.filter(({ type }) => type === 'hedge')).toMatchObject([{ delayMs: 10, ...hedge }]);
  });

  test('the history has the hedges of every attempt', async () => {
    const script = { statuses: [503, 429, 503, 500, 200, 200], order: [1, 0, 2, 3, 5] };
    const { send, answer } = await play(script, { maxRetries: 2, backoff: constant(0) });
    const [{ text, result }] = await Promise.all([send(), answer()]);
    expect(text).toBe('try 5');
    const lost = (status: number) => [{ delayMs: 10, won: false, outcome: { type: 'response', status } }];
    expect(attemptsOf(result).map(({ status, hedges }) => [status, hedges])).toEqual([
      [503, lost(429)],
      [503, lost(500)],
      [200, [{ delayMs: 10, won: true, outcome: { type: 'response', status: 200 } }]],
    ]);
  });

  test('also of one without a response', async () => {
    const script = { statuses: [0, 0], order: [1, 0, 2] };
    const { send, answer } = await play(script, { maxRetries: 1, backoff: constant(0) });
    const [{ text, result }] = await Promise.all([send(), answer()]);
    expect(text).toBe('try 2');
    expect(attemptsOf(result)).toMatchObject([
      { attempt: 1, hedges: [{ delayMs: 10, won: false, outcome: { type: 'failure' } }] },
      { status: 200, hedges: [{ delayMs: 10, won: false, outcome: undefined }] },
    ]);
  });

  test('also if a retry is refused, and the response before it is the result', async () => {
    const clock = virtualClock();
    const bucket = tokenBucket({ capacity: 2, refillPerSecond: 0.001, nonConforming: 'reject', clock });
    const script = { statuses: [503, 429], order: [1, 0] };
    const { send, answer } = await play(script, { maxRetries: 2, backoff: constant(0), bucket }, clock);
    const [{ text, result }] = await Promise.all([send(), answer()]);
    expect(text).toBe('try 0');
    expect(attemptsOf(result)).toMatchObject([
      { attempt: 1, status: 503, hedges: [{ won: false, outcome: { status: 429 } }] },
    ]);
    expect(attemptsOf(result)).toHaveLength(1);
  });

  test.each([
    ['no hedge is sent while there is trouble', 'half-open', 1],
    ['one is sent after it', 'closed', 2],
  ])('%s', async (_name, state, sent) => {
    const control = Object.defineProperty(adaptiveThrottle(), 'state', { value: state });
    const script = { statuses: [], order: [0], isAlone: sent === 1 };
    const { send, answer, sends } = await play(script, { throttle: control });
    await Promise.all([send(), answer()]);
    expect(sends()).toBe(sent);
  });
});
