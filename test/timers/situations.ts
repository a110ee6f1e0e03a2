import type { PolicyOptions } from '@ebb/core';
import type { AxiosAdapter } from 'axios';
import type { Dispatcher } from 'undici';
import { Dispatched } from '../../packages/undici/test/wire.ts';
import { own } from './fakes.ts';

/** The packages, loaded before or after the timers were faked. */
export interface Packages {
  readonly core: typeof import('@ebb/core');
  readonly fetch: typeof import('@ebb/fetch');
  readonly fetchHedged: typeof import('@ebb/hedge/fetch');
  readonly axiosHedged: typeof import('@ebb/hedge/axios');
  readonly fetchResumable: typeof import('@ebb/resume/fetch');
  readonly axios: typeof import('axios').default;
  readonly ebbAxios: typeof import('@ebb/axios');
  readonly undici: typeof import('undici');
  readonly ebbUndici: typeof import('@ebb/undici');
  readonly undiciHedge: typeof import('@ebb/hedge/undici');
  readonly undiciResumable: typeof import('@ebb/resume/undici');
}

/** What a service does with one request. */
interface Answer {
  readonly status?: number;
  /** The response never comes. */
  readonly isSilent?: boolean;
  /** How many turns of the event loop the response takes. */
  readonly afterTurns?: number;
  /** An event stream with this text, and how it goes on: it ends if nothing else is said. */
  readonly events?: string;
  readonly ending?: 'breaks' | 'falls silent';
}

/** The parts of a program that all situations share. */
interface World {
  readonly packages: Packages;
  /** The unit of time, in milliseconds. */
  readonly unitMs: number;
  /** To be called when a request is sent. */
  readonly send: () => void;
}

/** A client that gets one answer after another; the last one is for all that follow. Returns the status, and the text of the body. */
type Client = (
  world: World,
  options: PolicyOptions,
  answers: readonly Answer[],
  more?: { readonly hedgeAfterMs?: number; readonly idleTimeoutMs?: number },
) => () => Promise<readonly [status: number, text: string]>;

const URL = 'http://upstream.test/';
const EVENTS = { 'content-type': 'text/event-stream' };
const broken = (): Error => Object.assign(new TypeError('terminated'), { code: 'ECONNRESET' });
const never = (): Promise<never> => new Promise(() => undefined);

function answering(answers: readonly Answer[]): () => Answer {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)] ?? {};
}

const fetchClient: Client = ({ packages, send }, options, answers, more = {}) => {
  const { core, fetch, fetchHedged, fetchResumable } = packages;
  const policy = core.createPolicy(options);
  const next = answering(answers);
  const base = async (): Promise<Response> => {
    send();
    const { status = 200, isSilent, afterTurns = 0, events, ending } = next();
    if (isSilent) return never();
    for (let left = afterTurns; left > 0; left -= 1)
      await new Promise<void>((resolve) => void own.setImmediate(resolve));
    const pulls = [
      (body: ReadableStreamDefaultController) => body.enqueue(new TextEncoder().encode(events)),
      (body: ReadableStreamDefaultController) => {
        if (ending === 'falls silent') return never();
        return ending === 'breaks' ? body.error(broken()) : body.close();
      },
    ];
    if (events === undefined) return new Response(null, { status });
    return new Response(new ReadableStream({ pull: (body) => pulls.shift()?.(body) }), { headers: EVENTS });
  };
  const { hedgeAfterMs: delayMs, idleTimeoutMs } = more;
  const hedging = delayMs === undefined ? base : fetchHedged.hedged(base, { policy, delayMs });
  const get = fetchResumable.resumable(fetch.createFetch(policy, hedging), { policy, idleTimeoutMs });
  return async () => {
    const response = await get(URL);
    return [response.status, await response.text()];
  };
};

const axiosClient: Client = ({ packages, send }, options, answers, more = {}) => {
  const { core, axios, ebbAxios, axiosHedged } = packages;
  const policy = core.createPolicy(options);
  const next = answering(answers);
  const base: AxiosAdapter = async (config) => {
    send();
    const { status = 200, isSilent } = next();
    return isSilent ? never() : { status, statusText: '', data: '', headers: {}, config };
  };
  const { hedgeAfterMs: delayMs } = more;
  const adapter = delayMs === undefined ? base : axiosHedged.hedged({ policy, delayMs }, base);
  const client = axios.create({ validateStatus: () => true, adapter });
  client.interceptors.request.use(ebbAxios.ebbInterceptor(policy));
  return async () => {
    const { status, data } = await client.get<string>(URL);
    return [status, data];
  };
};

const undiciClient: Client = ({ packages, send }, options, answers, more = {}) => {
  const { core, undici, ebbUndici, undiciHedge, undiciResumable } = packages;
  const policy = core.createPolicy(options);
  const next = answering(answers);
  class Service extends undici.Dispatcher {
    override dispatch(given: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      send();
      const { status = 200, isSilent, events, ending } = next();
      const dispatched = new Dispatched(given, handler).start();
      void Promise.resolve().then(() => {
        if (isSilent) return;
        dispatched.head(status, events === undefined ? {} : EVENTS).data(events ?? '');
        if (ending === 'breaks') dispatched.fail(broken());
        else if (ending !== 'falls silent') dispatched.end();
      });
      return true;
    }
  }
  const { hedgeAfterMs: delayMs, idleTimeoutMs } = more;
  const hedges = delayMs === undefined ? [] : [undiciHedge.hedged({ policy, delayMs })];
  const dispatcher = new Service().compose(
    ...hedges,
    ebbUndici.ebbInterceptor(policy),
    undiciResumable.resumable({ policy, idleTimeoutMs }),
  );
  return async () => {
    const { statusCode, body } = await undici.request(URL, { dispatcher });
    return [statusCode, await body.text()];
  };
};

const CLIENTS: readonly (readonly [name: string, client: Client, timeout: string])[] = [
  ['fetch', fetchClient, 'TimeoutError'],
  ['axios', axiosClient, 'ECONNABORTED'],
  ['undici', undiciClient, 'UND_ERR_HEADERS_TIMEOUT'],
];
/** axios has no streams that are resumed. */
const STREAMING = CLIENTS.filter(([name]) => name !== 'axios');

/** What a program does. */
export interface Situation {
  readonly name: string;
  /** Makes clients and limits. What it returns sends the requests. */
  readonly prepare: (world: World) => () => Promise<unknown>;
  /** When requests are sent, in units of time. */
  readonly sentAt: readonly number[];
  /** The same, where a time in which ebb waits for nothing is no time, as the fakes leave `Date` alone. */
  readonly sentAtWithoutDate?: readonly number[];
  /** When it is over, where that is not when the last request is sent. */
  readonly endsAt?: number;
  readonly result: unknown;
  /** The result if `setTimeout` calls back at once. */
  readonly resultAtOnce?: unknown;
  /** In real time a busy machine may send less. */
  readonly isTight?: boolean;
  /** It sets the wall clock of all others as well. */
  readonly setsClock?: boolean;
}

const one = 'id: 1\ndata: a\n\n';
const two = 'id: 2\ndata: b\n\n';

/** Errors of ebb have a reason, those of axios and undici a code. */
function nameOf(thrown: {
  readonly reason?: string;
  readonly code?: unknown;
  readonly name: string;
}): string {
  const { reason, code, name } = thrown;
  return reason ?? (typeof code === 'string' ? code : name);
}

/** The status of a response, or the name of the error. */
const statusOf = (get: ReturnType<Client>) => (): Promise<number | string> =>
  get().then(([status]) => status, nameOf);

const times = <T>(count: number, call: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, call));

function eachClient([name, client, timeout]: (typeof CLIENTS)[number]): Situation[] {
  const refused = { status: 503 };
  return [
    {
      name: `${name}: retry`,
      prepare: (world) => {
        const backoff = world.packages.core.constant(world.unitMs);
        return statusOf(client(world, { backoff }, [refused, refused, {}]));
      },
      sentAt: [0, 1, 2],
      result: 200,
    },
    {
      name: `${name}: retry, within timeouts that do not run out`,
      prepare: (world) => {
        const { unitMs } = world;
        const timeouts = { attemptTimeoutMs: 30 * unitMs, totalTimeoutMs: 60 * unitMs };
        const backoff = world.packages.core.constant(unitMs);
        return statusOf(client(world, { backoff, ...timeouts }, [refused, {}]));
      },
      sentAt: [0, 1],
      result: 200,
    },
    {
      name: `${name}: attemptTimeoutMs`,
      prepare: (world) => {
        const backoff = world.packages.core.constant(world.unitMs);
        const options = { attemptTimeoutMs: 2 * world.unitMs, backoff, maxRetries: 1 };
        return statusOf(client(world, options, [{ isSilent: true }]));
      },
      sentAt: [0, 3],
      endsAt: 5,
      result: timeout,
    },
    {
      name: `${name}: totalTimeoutMs`,
      prepare: (world) => {
        const { unitMs } = world;
        const timeouts = { attemptTimeoutMs: 2 * unitMs, totalTimeoutMs: 4 * unitMs };
        const backoff = world.packages.core.constant(unitMs);
        return statusOf(client(world, { backoff, ...timeouts }, [{ isSilent: true }]));
      },
      sentAt: [0, 3],
      endsAt: 4,
      result: timeout,
      isTight: true,
    },
  ];
}

function eachStreaming([name, client]: (typeof CLIENTS)[number]): Situation[] {
  const rest = { events: two };
  return [
    {
      name: `${name}: resuming a stream that breaks`,
      prepare: (world) => {
        const backoff = world.packages.core.constant(world.unitMs);
        return client(world, { backoff }, [{ events: one, ending: 'breaks' }, rest]);
      },
      sentAt: [0, 1],
      result: [200, one + two],
    },
    {
      name: `${name}: resuming a stream that falls silent`,
      prepare: (world) => {
        const backoff = world.packages.core.constant(world.unitMs);
        const answers: Answer[] = [{ events: one, ending: 'falls silent' }, rest];
        return client(world, { backoff }, answers, { idleTimeoutMs: 2 * world.unitMs });
      },
      sentAt: [0, 3],
      result: [200, one + two],
    },
  ];
}

function hedgedOnce([name, client]: (typeof CLIENTS)[number]): Situation {
  return {
    name: `${name}: hedged`,
    prepare: (world) => {
      const hedge = { hedgeAfterMs: world.unitMs };
      return statusOf(client(world, { maxRetries: 0 }, [{ isSilent: true }, {}], hedge));
    },
    sentAt: [0, 1],
    result: 200,
  };
}

/** A client with a token for each unit of time. */
function metered(world: World): () => Promise<number | string> {
  const bucket = world.packages.core.tokenBucket({ refillPerSecond: 1_000 / world.unitMs, capacity: 1 });
  return statusOf(fetchClient(world, { bucket }, [{}]));
}

const passed = (durationMs: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, durationMs));

/** The wall clock is set, half a unit of time after the first of three requests. Another one finds a token. */
function whileTheClockIsSet(byMs: number): Situation['prepare'] {
  return (world) => {
    const get = metered(world);
    return async () => {
      const { now } = Date;
      setTimeout(() => {
        Date.now = () => now() + byMs;
      }, world.unitMs / 2);
      const results: unknown[] = await times(3, get);
      await passed(1.5 * world.unitMs);
      results.push(await get());
      Date.now = now;
      return results;
    };
  };
}

/** The statuses of many requests that are retried at the same time. */
function crowd(world: World): () => Promise<unknown[]> {
  const options = { backoff: world.packages.core.constant(world.unitMs) };
  const unseen = { ...world, send: () => undefined };
  const clients = Array.from({ length: 250 }, () => {
    return statusOf(fetchClient(unseen, options, [{ status: 503 }, {}]));
  });
  return async () => [...new Set(await Promise.all(clients.map((get) => get())))];
}

const HOUR_MS = 3_600_000;

export const situations: readonly Situation[] = [
  ...CLIENTS.flatMap(eachClient),
  ...STREAMING.flatMap(eachStreaming),
  ...CLIENTS.map(hedgedOnce),
  {
    name: 'a response that takes a few turns of the event loop, within a timeout',
    prepare: (world) => {
      const options = { attemptTimeoutMs: 30 * world.unitMs, maxRetries: 0 };
      return statusOf(fetchClient(world, options, [{ afterTurns: 4 }]));
    },
    sentAt: [0],
    result: 200,
    // Nothing tells such a stub from a timer.
    resultAtOnce: 'TimeoutError',
  },
  {
    name: 'bucket',
    prepare: (world) => {
      const get = metered(world);
      return () => times(3, get);
    },
    sentAt: [0, 1, 2],
    result: [200, 200, 200],
  },
  {
    name: 'bucket, and the clock is set back by an hour',
    prepare: whileTheClockIsSet(-HOUR_MS),
    sentAt: [0, 1, 2, 3.5],
    sentAtWithoutDate: [0, 1, 2, 4.5],
    result: [200, 200, 200, 200],
    setsClock: true,
  },
  {
    name: 'bucket, and the clock is set forward by an hour',
    prepare: whileTheClockIsSet(HOUR_MS),
    sentAt: [0, 1, 2, 3.5],
    sentAtWithoutDate: [0, 1, 2, 4.5],
    result: [200, 200, 200, 200],
    setsClock: true,
  },
  {
    name: 'slots that come',
    prepare: (world) => {
      const concurrency = world.packages.core.concurrencyLimit({ maxConcurrent: 1 });
      const get = world.packages.fetch.createFetch({ concurrency }, async () => {
        world.send();
        await passed(world.unitMs);
        return new Response();
      });
      return () => times(3, async () => (await get(URL)).status);
    },
    sentAt: [0, 1, 2],
    endsAt: 3,
    result: [200, 200, 200],
  },
  {
    name: 'slots that do not come in time',
    prepare: (world) => {
      const limit = { maxConcurrent: 1, maxWaitMs: world.unitMs };
      const concurrency = world.packages.core.concurrencyLimit(limit);
      concurrency.tryAcquire();
      return statusOf(fetchClient(world, { concurrency }, [{}]));
    },
    sentAt: [],
    endsAt: 1,
    result: 'wait-too-long',
  },
  {
    name: 'retries of a crowd',
    prepare: crowd,
    sentAt: [],
    endsAt: 1,
    result: [200],
  },
];
