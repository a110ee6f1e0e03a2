import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusingUrl } from '../refusing.ts';
import { type Scenario, scenarios } from '../scenarios.ts';
import { type Upstream, upstream } from '../server.ts';
import type { Plan } from './runner.ts';

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

/**
 * An upstream for each scenario, with CORS, and a server that reports their hangs.
 *
 * @param isLeftOut whether a scenario is not to be run
 */
export async function upstreams(
  isLeftOut: (scenario: Scenario) => boolean,
): Promise<AsyncDisposable & { readonly plan: Plan; readonly all: readonly Upstream[] }> {
  const hung = scenarios.map(() => new Counter());
  const control = createServer(async (request, response) => {
    const at = Number(new URL(request.url ?? '', 'http://ebb.test/').searchParams.get('scenario'));
    await hung[at]?.take();
    response.setHeader('access-control-allow-origin', '*').end();
  });
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
  const refused = await refusingUrl();
  const all = await Promise.all(
    scenarios.map(async ({ script }, at) => {
      const server = await upstream(script === 'refused' ? [] : script, { cors: true });
      server.onHang = () => hung[at]?.add();
      return server;
    }),
  );
  return {
    all,
    plan: {
      urls: scenarios.map((scenario, at) => {
        if (isLeftOut(scenario)) return null;
        return scenario.script === 'refused' ? refused : (all[at]?.url ?? null);
      }),
      hangs: `http://127.0.0.1:${(control.address() as AddressInfo).port}/`,
    },
    async [Symbol.asyncDispose]() {
      control.closeAllConnections();
      control.close();
      await Promise.all(all.map((server) => server.close()));
    },
  };
}
