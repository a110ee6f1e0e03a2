import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answeredMessage, completion, generated } from './good.ts';
import { ok } from './sdk.ts';
import type { Reply } from './upstream.ts';

/** The upstream of the programs on the page. */
export interface PageUpstream {
  readonly url: string;
  /** How many requests arrived. */
  readonly requests: number;
  close(): void;
}

/** A server of MCP, which has one tool and no event stream. */
function mcp(body: string): Reply {
  const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
  if (id === undefined) return { status: method === undefined ? 405 : 202, body: '' };
  const tools = [{ name: 'add', inputSchema: { type: 'object' } }];
  const info = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 's', version: '1' },
  };
  return ok({ jsonrpc: '2.0', id, result: method === 'initialize' ? info : { tools } });
}

/** The good answer of each API, by a part of its path. */
const GOOD: readonly (readonly [part: RegExp, answer: (body: string) => Reply])[] = [
  [/chat\/completions$/, () => completion],
  [/\/messages$/, () => answeredMessage],
  [/:generateContent/, () => generated],
  [/\/mcp$/, mcp],
  [/graphql/, () => ok({ data: { shop: { name: 'x' } } })],
  [/greet\.v1/, () => ok({})],
];

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  return body;
}

/** Starts a server that refuses its first request, and gives each API's good answer after that. */
export async function startPageUpstream(): Promise<PageUpstream> {
  let requests = 0;
  const refusal: Reply = { status: 429, headers: { 'retry-after': '0.1' }, body: '{}' };
  const server = createServer(async (request, response) => {
    requests += 1;
    const isFirst = requests === 1;
    const body = await bodyOf(request);
    const good = GOOD.find(([part]) => part.test(request.url ?? ''))?.[1];
    const {
      status,
      headers,
      body: answer,
    } = isFirst ? refusal : (good?.(body) ?? ok({ ok: true, result: {} }));
    const type =
      request.headers['content-type'] === 'application/proto' ? 'application/proto' : 'application/json';
    // An empty message of protobuf has no bytes.
    const text = type === 'application/proto' ? '' : answer;
    // For a browser's fetch, and what stands in for one.
    const cors = { 'access-control-allow-origin': '*' };
    response.writeHead(status, { 'content-type': type, ...cors, ...headers }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
