import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ReceivedRequest, Script } from '@ebb/testing';
import { refusingUrl } from '../refusing.ts';
import { type Upstream, upstream } from '../server.ts';

/** The reply to `POST /open` with a script. */
export interface Opened {
  readonly id: number;
  readonly url: string;
}

/** The reply to `/close?id=`. */
export interface Closed {
  readonly seen: readonly ReceivedRequest[];
  readonly connections: number;
}

/** Counts events, each of which can be awaited once. */
class Counter {
  #count = 0;
  #waiting: (() => void) | undefined;

  add(): void {
    this.#count += 1;
    this.#waiting?.();
  }

  async take(): Promise<void> {
    while (this.#count === 0)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    this.#count -= 1;
  }
}

/** An upstream, and its hangs: `/hang?id=` is answered once for each. */
interface Watched {
  readonly server: Upstream | undefined;
  readonly hung: Counter;
}

/** A server that starts and closes upstreams, with CORS, for runtimes that have no server of their own. */
export async function upstreams(): Promise<AsyncDisposable & { readonly control: string }> {
  const all: Watched[] = [];
  const open = async (script: Script): Promise<Opened> => {
    const id = all.length;
    if (script === 'refused') {
      all.push({ server: undefined, hung: new Counter() });
      return { id, url: await refusingUrl() };
    }
    const server = await upstream(script, { cors: true });
    const hung = new Counter();
    server.onHang = () => hung.add();
    return { id: all.push({ server, hung }) - 1, url: server.url };
  };
  const close = async ({ server }: Watched): Promise<Closed> => {
    await server?.close();
    return { seen: server?.seen ?? [], connections: server?.connections() ?? 0 };
  };
  const control = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://ebb.test/');
    const watched = all[Number(searchParams.get('id'))] as Watched;
    let reply: Opened | Closed | undefined;
    if (pathname === '/open') reply = await open(JSON.parse(await text(request)));
    else if (pathname === '/close') reply = await close(watched);
    else await watched.hung.take();
    response.setHeader('access-control-allow-origin', '*').end(JSON.stringify(reply) ?? '');
  });
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
  return {
    control: `http://127.0.0.1:${(control.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      control.closeAllConnections();
      control.close();
      await Promise.all(all.map(({ server }) => server?.close()));
    },
  };
}
