import { Readable } from 'node:stream';
import { ebbInterceptor } from '@ebb/axios';
import { constant, createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import { resumable as resumingUndici } from '@ebb/resume/undici';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios, { type AxiosAdapter, AxiosError } from 'axios';
import axiosRetry from 'axios-retry';
import {
  ConstantBackoff,
  ExponentialBackoff,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import ky from 'ky';
import pRetry from 'p-retry';
import { Agent, type Dispatcher, MockAgent, RetryAgent, request } from 'undici';

/** How a client retries. What is absent is the library's default. */
export interface Settings {
  readonly retries?: number;
  /** The wait before each retry. */
  readonly delayMs?: number;
  /** A limit over all attempts. */
  readonly limitMs?: number;
  /** Answers in place of a server, so that no socket is needed while time stands still. */
  readonly stub?: Stub;
}

/** What a stub answers to every request. */
interface Stub {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Called for each request. */
  readonly onRequest: () => void;
}

export interface Asked {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Sent as a stream that can be read once. */
  readonly stream?: string;
}

/** Sends a request, and returns the text of its response. */
export type Send = (asked: Asked) => Promise<string>;

/** Makes a client that retries; one of ebb takes more options of its policy. */
export type Contender = (settings: Settings, more?: PolicyOptions) => Send;

/** Only what is given: some libraries do not take `undefined` for their default. */
function given<Options extends object>(
  options: Options,
): { [Key in keyof Options]: NonNullable<Options[Key]> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

function streamed(text: string | undefined): Readable | undefined {
  return text === undefined ? undefined : Readable.from([Buffer.from(text)]);
}

function axiosStub({ status, headers, onRequest }: Stub): AxiosAdapter {
  return async (config) => {
    onRequest();
    const response = { data: '', status, statusText: '', headers: { ...headers }, config };
    throw new AxiosError(`status ${status}`, AxiosError.ERR_BAD_RESPONSE, config, {}, response);
  };
}

function axiosClient({ limitMs, stub }: Settings) {
  return axios.create(given({ timeout: limitMs, adapter: stub && axiosStub(stub) }));
}

function fetchStub({ status, headers, onRequest }: Stub): typeof fetch {
  return async () => {
    onRequest();
    return new Response('', { status, headers });
  };
}

function fetchInit({ method, stream }: Asked): RequestInit {
  const body = streamed(stream);
  return given({ method, body: body && Readable.toWeb(body), duplex: body && 'half' }) as RequestInit;
}

/** A function for libraries that retry what throws, as the pages of these libraries write it. */
function throwing(asked: Asked, { stub }: Settings): (signal?: AbortSignal) => Promise<string> {
  const init = fetchInit(asked);
  const send = stub ? fetchStub(stub) : fetch;
  return async (signal) => {
    const response = await send(asked.url, { ...init, ...given({ signal }) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.text();
  };
}

function undiciAgent({ stub }: Settings): Dispatcher {
  if (stub === undefined) return new Agent();
  const agent = new MockAgent();
  const { status: statusCode, headers, onRequest } = stub;
  agent
    .get('http://upstream.test')
    .intercept({ path: '/' })
    .reply(() => {
      onRequest();
      return { statusCode, data: '', responseOptions: { headers } };
    })
    .persist();
  return agent;
}

function undiciSend(dispatcher: Dispatcher): Send {
  return async ({ url, method = 'GET', stream }) => {
    const body = streamed(stream);
    const response = await request(url, { dispatcher, method, ...given({ body }) });
    return response.body.text();
  };
}

function policyOf({ retries, delayMs, limitMs, stub }: Settings, more: PolicyOptions = {}): Policy {
  const options: PolicyOptions = given({
    maxRetries: retries,
    backoff: delayMs === undefined ? undefined : constant(delayMs),
    totalTimeoutMs: limitMs,
    // Without the jitter on top of `Retry-After`.
    random: stub && (() => 0),
  });
  return createPolicy({ ...options, ...more });
}

/** The other clients with ebb, which resume downloads. */
export const OTHERS_OF_EBB: Readonly<Record<string, Contender>> = {
  fetch: (settings, more) => {
    const policy = policyOf(settings, more);
    const client = resumable(createFetch(policy, settings.stub && fetchStub(settings.stub)), { policy });
    return async (asked) => {
      const headers = { 'accept-encoding': 'identity' };
      return (await client(asked.url, { ...fetchInit(asked), headers })).text();
    };
  },
  undici: (settings, more) => {
    const policy = policyOf(settings, more);
    return undiciSend(undiciAgent(settings).compose(ebbUndici(policy), resumingUndici({ policy })));
  },
};

/** In the order of the columns. */
export const CONTENDERS: Readonly<Record<string, Contender>> = {
  ebb: (settings, more) => {
    // Its limit is that of the policy, not the timeout of axios.
    const client = axiosClient(given({ stub: settings.stub }));
    client.interceptors.request.use(ebbInterceptor(policyOf(settings, more)));
    return async ({ stream, ...asked }) => (await client({ ...asked, data: streamed(stream) })).data;
  },
  'axios-retry': (settings) => {
    const { retries, delayMs } = settings;
    const client = axiosClient(settings);
    axiosRetry(client, given({ retries, retryDelay: delayMs === undefined ? undefined : () => delayMs }));
    return async ({ stream, ...asked }) => (await client({ ...asked, data: streamed(stream) })).data;
  },
  'p-retry': (settings) => {
    const { retries, delayMs: minTimeout, limitMs: maxRetryTime } = settings;
    const factor = minTimeout === undefined ? undefined : 1;
    return (asked) => {
      const call = throwing(asked, settings);
      return pRetry(() => call(), given({ retries, minTimeout, factor, maxRetryTime }));
    };
  },
  ky: ({ retries: limit, delayMs, limitMs: totalTimeout, stub }) => {
    const delay = delayMs === undefined ? undefined : () => delayMs;
    const options = { retry: given({ limit, delay }), totalTimeout, fetch: stub && fetchStub(stub) };
    const client = ky.create(given(options));
    return (asked) => client(asked.url, fetchInit(asked)).text();
  },
  cockatiel: (settings) => {
    // By default it has neither an end nor a wait.
    const { retries: maxAttempts = 3, delayMs, limitMs } = settings;
    const backoff = delayMs === undefined ? new ExponentialBackoff() : new ConstantBackoff(delayMs);
    const retrying = retry(handleAll, { maxAttempts, backoff });
    const limited =
      limitMs === undefined ? retrying : wrap(timeout(limitMs, TimeoutStrategy.Aggressive), retrying);
    return (asked) => {
      const call = throwing(asked, settings);
      return limited.execute(({ signal }) => call(signal));
    };
  },
  RetryAgent: (settings) => {
    const { retries: maxRetries, delayMs: minTimeout } = settings;
    const timeoutFactor = minTimeout === undefined ? undefined : 1;
    return undiciSend(
      new RetryAgent(undiciAgent(settings), given({ maxRetries, minTimeout, timeoutFactor })),
    );
  },
};
