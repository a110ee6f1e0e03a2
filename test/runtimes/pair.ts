// Bundled and run in each Node version: what becomes of a request over a dispatcher with ebb that is set in another undici.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { constant } from '@ebb/core';
import { ebbInterceptor } from '@ebb/undici';
import type * as undici8 from 'undici';

/** The result of a pair; an error is its message. */
export type PairResult = 'yes' | 'no' | string;

export interface Pair {
  /** The folder of the undici that makes and sets the dispatcher. */
  readonly setter: string;
  /** The folder of the undici that sends; `undefined` for Node's fetch. */
  readonly sender: string | undefined;
  /** `global` for `setGlobalDispatcher`, `option` for the option `dispatcher`. */
  readonly by: 'global' | 'option';
}

type Undici = typeof undici8;
type Send = (url: string, init: object) => Promise<{ status?: number; statusCode?: number }>;

const require = createRequire(import.meta.url);

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && message === 'fetch failed' ? cause.message : message;
}

async function tryOnce(send: Send, init: object): Promise<PairResult> {
  let hits = 0;
  const server = createServer((_, response) => {
    hits += 1;
    response.writeHead(hits === 1 ? 503 : 200).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const { status, statusCode } = await send(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      init,
    );
    return (status ?? statusCode) === 200 ? 'yes' : 'no';
  } catch (error) {
    return messageOf(error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Whether a request that gets a 503 is retried; an undici is tried with its `request` and its `fetch`. */
export async function tryPair({ setter, sender, by }: Pair): Promise<PairResult> {
  try {
    const undici = require(setter) as Undici;
    const dispatcher = new undici.Agent().compose(ebbInterceptor({ backoff: constant(0) }));
    const own = sender === undefined ? undefined : (require(sender) as Undici);
    if (by === 'global') undici.setGlobalDispatcher(dispatcher);
    const init = by === 'global' ? {} : { dispatcher };
    if (own === undefined) return await tryOnce(fetch as Send, init);
    const [requested, fetched] = [
      await tryOnce(own.request as Send, init),
      await tryOnce(own.fetch as unknown as Send, init),
    ];
    return requested === fetched ? requested : `request: ${requested}; fetch: ${fetched}`;
  } catch (error) {
    return messageOf(error);
  }
}
