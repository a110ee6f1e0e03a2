import type { AdapterUnderTest, Respond } from './adapter.ts';
import { refusingUrl } from './refusal.ts';
import { scriptedServer } from './server.ts';
import type { ReceivedRequest, StartUpstream, Step, Upstream } from './step.ts';

/** A scripted server on loopback. */
const overSockets: StartUpstream = async (script, onHang) => {
  if (script === 'refused') return idleUpstream(await refusingUrl());
  const server = await scriptedServer(script);
  if (onHang !== undefined) server.onHang = onHang;
  return server;
};

function idleUpstream(url: string): Upstream {
  return { url, seen: [], connections: () => 0, close: async () => undefined };
}

function responseOf(step: Step): Response {
  if (typeof step !== 'object') return Response.error();
  const headers = new Headers();
  for (const [name, values] of Object.entries(step.headers ?? {}))
    for (const value of [values].flat()) headers.append(name, value);
  const body = step.status === 204 ? null : ((step.body ?? '') as BodyInit);
  return new Response(body, { status: step.status, headers });
}

/** The same by a mock. */
const mocked =
  (mock: NonNullable<AdapterUnderTest['mock']>): StartUpstream =>
  async (script) => {
    const seen: ReceivedRequest[] = [];
    const respond: Respond = async (request) => {
      const step = script[Math.min(seen.length, script.length - 1)] as Step;
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      seen.push({ method: request.method, path: pathname + search, headers, body: await request.text() });
      return responseOf(step);
    };
    const { url, close } = await mock(respond);
    return { url, seen, connections: () => 0, close: async () => void (await close?.()) };
  };

/** How the rows of an adapter are answered. */
export function upstreamsOf({ upstream, mock }: AdapterUnderTest): StartUpstream {
  return upstream ?? (mock === undefined ? overSockets : mocked(mock));
}
