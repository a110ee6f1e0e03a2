import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LONG_BYTES, SHORT, SLOW, type SlotPath } from './slot-row.ts';

/** Writes the parts one by one, 4 ms apart. */
function trickle(response: ServerResponse, parts: readonly string[]): void {
  const [first, ...rest] = parts;
  if (first === undefined) response.end();
  else response.write(first, () => setTimeout(trickle, 4, response, rest));
}

const ACTS: Readonly<Record<SlotPath, (response: ServerResponse) => unknown>> = {
  short: (response) => response.setHeader('content-length', SHORT.length).end(SHORT),
  missing: (response) => response.writeHead(404, { 'content-length': SHORT.length }).end(SHORT),
  empty: (response) => response.setHeader('content-length', 0).end(),
  long: (response) => response.end(Buffer.alloc(LONG_BYTES, 'x')),
  half: (response) => {
    response.setHeader('content-length', 10).write('12345', () => response.destroy());
  },
  slow: (response) => trickle(response, SLOW.split(' ')),
};

/** The server for the slot rows. `slowAtOnce` returns the largest number of slow bodies under way at once. */
export async function slotServer(): Promise<
  AsyncDisposable & { readonly url: string; readonly slowAtOnce: () => number }
> {
  let underWay = 0;
  let most = 0;
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    const path = request.url?.slice(1) as SlotPath;
    if (path === 'slow') {
      underWay += 1;
      most = Math.max(most, underWay);
      response.on('close', () => {
        underWay -= 1;
      });
    }
    ACTS[path](response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    slowAtOnce: () => most,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
