import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server that records when each request arrives. */
export class Upstream {
  readonly arrivals: number[] = [];
  readonly #server: Server;
  /** Those that wait for a number of arrivals. */
  readonly #waiting = new Map<() => void, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Upstream> {
    const server = createServer((_, response) => {
      upstream.arrivals.push(performance.now());
      response.end('ok');
      for (const [resolve, count] of upstream.#waiting) {
        if (upstream.arrivals.length >= count) resolve();
      }
    });
    const upstream = new Upstream(server);
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when so many more requests have arrived. */
  async more(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(resolve, this.arrivals.length + count);
    await promise;
    this.#waiting.delete(resolve);
  }

  /** How many requests arrived in a window of `performance.now()`. */
  between(fromMs: number, toMs: number): number {
    return this.arrivals.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  }

  /**
   * `excess`: the most by which the arrivals since `startMs` exceeded `capacity + rate · t`; below 0 if they never did.
   * `burst`: the most that arrived beyond `rate · t` in any window.
   */
  against(
    rate: number,
    capacity: number,
    startMs: number,
  ): { readonly excess: number; readonly burst: number } {
    let least = Number.POSITIVE_INFINITY;
    let [excess, burst] = [Number.NEGATIVE_INFINITY, 0];
    this.arrivals.forEach((atMs, index) => {
      const level = index - (rate * (atMs - startMs)) / 1_000;
      least = Math.min(least, level);
      excess = Math.max(excess, level + 1 - capacity);
      burst = Math.max(burst, level + 1 - least);
    });
    return { excess, burst };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
