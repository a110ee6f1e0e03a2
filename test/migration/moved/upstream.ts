import { createRequire } from 'node:module';
import axios, { type AxiosAdapter, AxiosError, type AxiosStatic } from 'axios';

/** What the upstream does with a request: it responds, or the connection breaks. */
export interface Step {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it arrived. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly atMs: number;
}

/** How long each step takes, in milliseconds. */
const STEP_MS = 5;

/** A scripted upstream of global fetch, and of both copies of axios: that of `import` and that of `require`. */
export class Upstream {
  #steps: readonly Step[] = [];
  sent: Sent[] = [];

  /** The last of the steps goes on. */
  play(steps: readonly Step[]): void {
    this.#steps = steps;
    this.sent = [];
  }

  install(): void {
    globalThis.fetch = this.#fetch;
    const required = createRequire(import.meta.url)('axios') as AxiosStatic;
    for (const copy of [axios, required]) copy.defaults.adapter = this.#adapter;
  }

  async #next(request: Omit<Sent, 'atMs'>): Promise<Step> {
    const step = this.#steps[Math.min(this.sent.length, this.#steps.length - 1)] ?? {};
    this.sent.push({ ...request, atMs: Date.now() });
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    return step;
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const step = await this.#next({ method: request.method, url: request.url, body: await request.text() });
    const { status, headers, body = 'done' } = step;
    if (status !== undefined) return new Response(body, { status, ...(headers && { headers }) });
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    });
  };

  readonly #adapter: AxiosAdapter = async (config) => {
    const url = `${config.baseURL ?? ''}${config.url ?? ''}`;
    const step = await this.#next({
      method: (config.method ?? 'get').toUpperCase(),
      url,
      body: String(config.data ?? ''),
    });
    const { status, headers = {}, body = 'done' } = step;
    if (status === undefined) throw new AxiosError('read ECONNRESET', 'ECONNRESET', config, {});
    const response = { data: body, status, statusText: '', headers: { ...headers }, config };
    if (config.validateStatus?.(status) !== false) return response;
    const code = status >= 500 ? AxiosError.ERR_BAD_RESPONSE : AxiosError.ERR_BAD_REQUEST;
    throw new AxiosError(`Request failed with status code ${status}`, code, config, {}, response);
  };
}
