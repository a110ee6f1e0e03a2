import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenBucket } from '@ebb/core';

/** A service with a quota: it counts the requests of each process, and returns 429 beyond the quota. */
export class Upstream {
  readonly #server: Server;
  readonly #counts: number[];
  refused = 0;

  private constructor(server: Server, processes: number) {
    this.#server = server;
    this.#counts = Array(processes).fill(0);
  }

  /** `burst` is the number of requests that it accepts at once. */
  static async start(perSecond: number, burst: number, processes: number): Promise<Upstream> {
    const quota = tokenBucket({ refillPerSecond: perSecond, capacity: burst });
    const server = createServer((request, response) => {
      const process = Number(request.url?.slice(1));
      upstream.#counts[process] = (upstream.#counts[process] ?? 0) + 1;
      const conforming = quota.tryAcquire();
      if (!conforming) upstream.refused += 1;
      response.writeHead(conforming ? 200 : 429).end();
    });
    const upstream = new Upstream(server, processes);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The number of requests of each process. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
