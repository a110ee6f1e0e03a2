import type { Dispatch, Fetch } from '../rivals/rival.ts';
import { controller, respond } from './undici.ts';

/** How often each request fails before it succeeds. */
const FAILURES = 2;

/** Counts the sends of each request, which ends with its number: the next one succeeds or fails. */
export class Upstream {
  readonly #sent: Uint8Array;

  constructor(requests: number) {
    this.#sent = new Uint8Array(requests);
  }

  #status(id: number): number {
    const sent = this.#sent[id] ?? 0;
    this.#sent[id] = sent === FAILURES ? 0 : sent + 1;
    return sent === FAILURES ? 200 : 503;
  }

  readonly fetch: Fetch = async (input: string | Request) => {
    const url = typeof input === 'string' ? input : input.url;
    return new Response(null, { status: this.#status(Number(url.slice(url.lastIndexOf('/') + 1))) });
  };

  /** What a handler throws for a response goes to the handler itself, as undici does it. */
  readonly dispatch: Dispatch = ({ path }, handler) => {
    try {
      return respond(handler, this.#status(Number(path.slice(1))));
    } catch (error) {
      handler.onResponseError?.(controller, error as Error);
      return true;
    }
  };
}
