import { setImmediate } from 'node:timers/promises';
import axios, { type AxiosAdapter, AxiosError, type AxiosInstance } from 'axios';
import { vi } from 'vitest';

/** What becomes of a request: a status, or an error of this code; and how long that takes. */
export interface Step {
  readonly status?: number;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly takesMs?: number;
}

/** All that can be told of a call from without. */
export interface Played {
  /** When each request was sent, in milliseconds since the call. */
  readonly sentMs: readonly number[];
  readonly end: unknown;
  readonly endedMs: number;
  /** The calls of the program's functions. */
  readonly log: readonly unknown[];
}

/** The upstream of one call, to which its last step happens again and again. */
export class Upstream {
  readonly #steps: readonly Step[];
  readonly #startMs = Date.now();
  readonly sentMs: number[] = [];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  get atMs(): number {
    return Date.now() - this.#startMs;
  }

  /** Ends early, with `undefined`, if the step takes as long as the timeout of the request. */
  async next(timeoutMs = 0): Promise<Step | undefined> {
    const step = this.#steps[Math.min(this.sentMs.length, this.#steps.length - 1)] ?? {};
    this.sentMs.push(this.atMs);
    const { takesMs = 5 } = step;
    const isLate = timeoutMs > 0 && timeoutMs <= takesMs;
    await new Promise((resolve) => setTimeout(resolve, isLate ? timeoutMs : takesMs));
    return isLate ? undefined : step;
  }
}

/** Enough turns for what a client does between two timers. */
const TURNS = 6;

function shown(result: unknown): unknown {
  if (!(result instanceof Error)) return { resolved: (result as Response)?.status ?? result };
  const { name, message, code, response } = result as AxiosError;
  return { name, message, code, status: response?.status };
}

/** Plays a call in virtual time. */
export async function play(
  steps: readonly Step[],
  call: (upstream: Upstream, log: unknown[]) => Promise<unknown>,
): Promise<Played> {
  const upstream = new Upstream(steps);
  const log: unknown[] = [];
  let ended: Pick<Played, 'end' | 'endedMs'> | undefined;
  const finish = (result: unknown): void => {
    ended = { end: shown(result), endedMs: upstream.atMs };
  };
  call(upstream, log).then(finish, finish);
  for (let timers = 0; timers < 2_000 && ended === undefined; timers += 1) {
    for (let turn = 0; turn < TURNS && ended === undefined; turn += 1) await setImmediate();
    if (ended === undefined) await vi.advanceTimersToNextTimerAsync();
  }
  vi.clearAllTimers();
  const { end, endedMs } = ended ?? { end: 'never', endedMs: Number.NaN };
  return { sentMs: upstream.sentMs, end, endedMs, log };
}

/** An instance of axios in front of an upstream. */
export function axiosOf(upstream: Upstream, timeout: number): AxiosInstance {
  const adapter: AxiosAdapter = async (config) => {
    const step = await upstream.next(config.timeout);
    if (step === undefined)
      throw new AxiosError(`timeout of ${config.timeout}ms exceeded`, 'ECONNABORTED', config, {});
    const { status, code, headers = {} } = step;
    if (status === undefined) throw new AxiosError(`lost: ${code}`, code, config, {});
    const response = { data: '{"a":1}', status, statusText: '', headers: { ...headers }, config };
    if (config.validateStatus?.(status) !== false) return response;
    const kind = status >= 500 || status < 400 ? AxiosError.ERR_BAD_RESPONSE : AxiosError.ERR_BAD_REQUEST;
    throw new AxiosError(`Request failed with status code ${status}`, kind, config, {}, response);
  };
  return axios.create({ adapter, timeout });
}

/** A fetch in front of an upstream. */
export function fetchOf(upstream: Upstream): typeof fetch {
  return async () => {
    const { status, code, headers } = (await upstream.next()) ?? {};
    if (status !== undefined) return new Response('text', { status, ...(headers && { headers }) });
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(`lost: ${code}`), { code }) });
  };
}
