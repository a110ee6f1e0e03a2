// Bundled and run in each runtime: imports nothing from Node.
import type { ReceivedRequest, StartUpstream } from '@ebb/testing';
import type { Closed, Opened } from './upstreams.ts';

/** Upstreams in the process of the tests, started over its control server. */
export function remoteUpstreams(control: string): StartUpstream {
  return async (script, onHang) => {
    const opened = await fetch(`${control}open`, { method: 'POST', body: JSON.stringify(script) });
    const { id, url } = (await opened.json()) as Opened;
    const over = new AbortController();
    const watchHangs = async (report: () => void): Promise<void> => {
      for (;;) {
        await (await fetch(`${control}hang?id=${id}`, { signal: over.signal })).text();
        report();
      }
    };
    const watch = onHang && watchHangs(onHang).catch(() => undefined);
    let closed: Closed = { seen: [], connections: 0 };
    return {
      url,
      get seen(): readonly ReceivedRequest[] {
        return closed.seen;
      },
      connections: () => closed.connections,
      async close() {
        over.abort();
        await watch;
        closed = (await (await fetch(`${control}close?id=${id}`)).json()) as Closed;
      },
    };
  };
}
