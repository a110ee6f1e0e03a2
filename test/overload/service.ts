import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import type { ServerOptions } from '../../packages/simulator/src/scenario/server-options.ts';
import { FIRST_TOO_MANY, OK, REFUSED, RESET } from '../../packages/simulator/src/simulation/outcomes.ts';
import { Server } from '../../packages/simulator/src/simulation/server/server.ts';

interface Job {
  resolve(response: Response): void;
  reject(error: unknown): void;
}

/** What undici's fetch rejects with. */
function failed(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

/** The server of the simulator behind a base fetch, on a virtual clock. It does not learn that a client has given up. */
export class Service {
  /** Attempts that were sent. */
  sends = 0;
  readonly #server: Server;
  readonly #clock: VirtualClock;
  readonly #jobs: Job[] = [];

  constructor(clock: VirtualClock, options: ServerOptions, seed: number) {
    this.#clock = clock;
    const startMs = clock.now();
    this.#server = new Server(options, {
      random: seededRandom(seed),
      finishIn: (durationMs, job, stamp, epoch) => {
        clock.schedule(() => this.#server.finish(job, stamp, epoch, clock.now() - startMs), durationMs);
      },
      answer: (job, _stamp, outcome) => this.#answer(job, outcome),
    });
    for (const atMs of this.#server.moments)
      clock.schedule(() => this.#server.change(clock.now() - startMs), atMs);
  }

  readonly fetch = (_input: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const job = this.#jobs.push({ resolve, reject }) - 1;
      this.sends += 1;
      const { signal } = init ?? {};
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#server.receive(job, 0, this.#clock.now());
    });

  #answer(at: number, outcome: number): void {
    const { resolve, reject } = this.#jobs[at] as Job;
    delete this.#jobs[at];
    if (outcome === REFUSED) reject(failed('ECONNREFUSED'));
    else if (outcome === RESET) reject(failed('ECONNRESET'));
    else if (outcome === OK) resolve(new Response(null));
    else if (outcome < FIRST_TOO_MANY) resolve(new Response(null, { status: 503 }));
    else
      resolve(
        new Response(null, {
          status: 429,
          headers: outcome === FIRST_TOO_MANY ? {} : { 'retry-after': String(outcome - FIRST_TOO_MANY - 1) },
        }),
      );
  }
}
