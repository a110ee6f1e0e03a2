// The worker of workers.test.ts, which bundles it.
import { startTime } from './no-time.ts';
import { CLIENTS } from './shared.ts';
import { STORIES } from './stories.ts';

/** Where a client is made. */
export type Scope = 'global scope' | 'first request' | 'each request' | 'Durable Object';

/** What a request to the worker asks for: to send so many requests at once, and to say how they ended. */
export interface Job {
  readonly client: string;
  readonly hasSignal: boolean;
  readonly urls: readonly string[];
}

type Fetch = ReturnType<(typeof CLIENTS)[string]['make']>;

declare const ORIGIN: string;

/** Clients, each made when it is first asked for. */
class Clients {
  readonly #made = new Map<string, Fetch>();

  of({ client, hasSignal }: Pick<Job, 'client' | 'hasSignal'>): Fetch {
    const key = `${client} ${hasSignal}`;
    const made = this.#made.get(key) ?? CLIENTS[client]?.make(ORIGIN);
    if (made === undefined) throw new Error(`no client ${client}`);
    this.#made.set(key, made);
    return made;
  }
}

const madeInGlobalScope = new Clients();
for (const client of Object.keys(CLIENTS))
  for (const hasSignal of [true, false]) madeInGlobalScope.of({ client, hasSignal });
const madeInRequests = new Clients();
startTime();

/** How a request has ended. */
async function textOf(request: Promise<Response>): Promise<string> {
  try {
    const response = await request;
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return String(error);
  }
}

async function perform(request: Request, clients: Clients): Promise<Response> {
  const job = (await request.json()) as Job;
  const fetch = clients.of(job);
  const init = job.hasSignal ? { signal: request.signal } : {};
  return Response.json(await Promise.all(job.urls.map((url) => textOf(fetch(url, init)))));
}

export class LimitedObject {
  readonly #clients = new Clients();

  fetch(request: Request): Promise<Response> {
    return perform(request, this.#clients);
  }
}

interface Bindings {
  readonly OBJECT: {
    get(id: unknown): { fetch(request: Request): Promise<Response> };
    idFromName(name: string): unknown;
  };
}

export default {
  async fetch(request: Request, { OBJECT }: Bindings): Promise<Response> {
    const [, scope = '', step = ''] = decodeURIComponent(new URL(request.url).pathname).split('/');
    const story = STORIES[scope];
    if (story !== undefined) return story(step, ORIGIN).catch((error) => new Response(String(error)));
    if (scope === 'global scope') return perform(request, madeInGlobalScope);
    if (scope === 'first request') return perform(request, madeInRequests);
    if (scope === 'each request') return perform(request, new Clients());
    return OBJECT.get(OBJECT.idFromName('only')).fetch(request);
  },
};
