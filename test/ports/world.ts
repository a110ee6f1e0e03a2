import { Readable } from 'node:stream';
import { type AxiosAdapter, type AxiosInstance, CanceledError } from 'axios';
import got, { type Got } from 'got';
import { axiosOf, type Played, play, type Upstream } from '../migration/like/play.ts';
import type { Script } from './scripts.ts';

/** The clients of a program, in front of an upstream that follows a script. */
export interface World {
  readonly fetch: typeof fetch;
  /** @param timeout axios's own, in milliseconds */
  axios(timeout?: number): AxiosInstance;
  /** got over the upstream. @param timeoutMs in place of its `timeout.request`, which needs a socket */
  got(timeoutMs?: number): Got;
  /** Aborts when the script says so. */
  readonly signal: AbortSignal;
  /** What the hooks of a program tell. */
  log(...words: unknown[]): void;
}

/** A program, and what comes of it. */
export type Program = (world: World) => Promise<unknown>;

export const URL_OF_ALL = 'https://api.example.com/v1/orders';

/** A failing status as an error, as programs around fetch write it. */
export function orThrow(response: Response): Response {
  if (!response.ok) throw Object.assign(new Error(`HTTP ${response.status}`), { status: response.status });
  return response;
}

/** Ends with an abort, whatever the work does. */
async function unlessAborted<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
  error: () => unknown,
): Promise<T> {
  if (signal?.aborted) throw error();
  return new Promise<T>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(error()), { once: true });
    work().then(resolve, reject);
  });
}

function fetchOf(upstream: Upstream): typeof fetch {
  return (input, init) => {
    const { signal } = new Request(input, init);
    return unlessAborted(
      () => respond(upstream),
      signal,
      () => signal.reason,
    );
  };
}

async function respond(upstream: Upstream): Promise<Response> {
  const { status, code, headers = {} } = (await upstream.next()) ?? {};
  if (status !== undefined) return new Response('text', { status, headers });
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('lost'), { code }) });
}

function cancellable(upstream: Upstream, timeout: number): AxiosInstance {
  const client = axiosOf(upstream, timeout);
  const adapter = client.defaults.adapter as AxiosAdapter;
  client.defaults.adapter = (config) =>
    unlessAborted(
      () => adapter(config),
      config.signal as AbortSignal | undefined,
      () => new CanceledError(undefined, config),
    );
  return client;
}

function gotOf(upstream: Upstream, timeoutMs: number): Got {
  return got.extend({
    async request() {
      const step = await upstream.next(timeoutMs);
      const { status: statusCode, code = 'ETIMEDOUT', headers = {} } = step ?? {};
      if (statusCode === undefined) throw Object.assign(new Error('lost'), { code });
      return Object.assign(Readable.from([Buffer.from('text')]), {
        statusCode,
        headers,
        complete: true,
      }) as never;
    },
  });
}

/** What a caller sees of an end, in the same words for every client. */
function seen(end: unknown): string {
  if (end instanceof Error) return `throws ${trouble(end as Partial<Thrown>)}`;
  if (Array.isArray(end)) return end.map(seen).join(', ');
  const { status = end, statusCode = status } = Object(end) as { status?: unknown; statusCode?: unknown };
  return `returns ${statusCode}`;
}

interface Thrown extends Error {
  readonly status: number;
  readonly code: unknown;
  readonly response: { readonly status?: number; readonly statusCode?: number };
}

function trouble(error: Partial<Thrown>): string {
  const { name, message, status, response } = error;
  const codes = codesOf(error).join();
  if (/Cancel|AbortError|ERR_ABORTED/.test(codes)) return 'the abort';
  const said = response?.status ?? response?.statusCode ?? status;
  if (said !== undefined) return String(said);
  if (/Timeout|ETIMEDOUT|ECONNABORTED/.test(codes)) return 'a timeout';
  return /ECONN\w+/.exec(codes)?.[0] ?? `${name}: ${message}`;
}

/** The names and codes of an error, and of what has caused it. */
function codesOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [];
  return [error.name, (error as Partial<Thrown>).code, ...codesOf(error.cause)];
}

/** Plays a script to a program, in virtual time. */
export function playTo(program: Program, { steps, abortAtMs }: Script): Promise<Played> {
  return play(steps, (upstream, log) => {
    const controller = new AbortController();
    if (abortAtMs !== undefined) setTimeout(() => controller.abort(), abortAtMs);
    const world: World = {
      fetch: fetchOf(upstream),
      axios: (timeout = 0) => cancellable(upstream, timeout),
      got: (timeoutMs = 0) => gotOf(upstream, timeoutMs),
      signal: controller.signal,
      log: (...words) => void log.push(words.join(' ')),
    };
    return program(world).then(seen, seen);
  });
}
