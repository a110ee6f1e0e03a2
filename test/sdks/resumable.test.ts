import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { constant, createPolicy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { anthropicIsLast, openaiIsLast } from '@ebb/providers';
import { type ResumableOptions, resumable } from '@ebb/resume/fetch';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { message } from './good.ts';

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void;

interface Server extends AsyncDisposable {
  readonly url: string;
}

async function serving(respond: Respond): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part;
    });
    request.on('end', () => respond(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const policy = createPolicy({ backoff: constant(0), maxRetries: 1 });

function fetchWith(options: ResumableOptions): typeof globalThis.fetch {
  return resumable(createFetch(policy), { policy, ...options }) as typeof globalThis.fetch;
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

describe('MCP: the place of a tools/call is kept if the GET that resumes it gives no event', () => {
  test.each<[how: string, options: ResumableOptions]>([
    ['is reset', {}],
    ['is ended', { resumeAtEnd: true }],
  ])('%s', async (how, options) => {
    const places: (string | undefined)[] = [];
    let callId: unknown;
    const respond: Respond = (request, response, body) => {
      if (request.method === 'GET') {
        const place = request.headers['last-event-id'] as string | undefined;
        // The stream for messages of the server, which it does not have.
        if (place === undefined && places.length === 0) return response.writeHead(405).end();
        places.push(place);
        response.writeHead(200, EVENT_STREAM);
        response.flushHeaders();
        if (places.length > 1) {
          const result = { content: [{ type: 'text', text: 'done' }] };
          response.end(`id: e2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: callId, result })}\n\n`);
        } else if (how === 'is ended') response.end();
        else setTimeout(() => response.socket?.resetAndDestroy(), 5);
        return undefined;
      }
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (method === 'initialize') {
        const result = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'test', version: '1' },
        };
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
      if (id === undefined) return response.writeHead(202).end();
      callId = id;
      // It ends the stream on purpose, and gives the result to the GET that resumes it (SEP-1699).
      response.writeHead(200, EVENT_STREAM);
      return response.end('retry: 1\nid: e1\ndata:\n\n');
    };
    await using server = await serving(respond);
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { fetch: fetchWith(options) });
    await client.connect(transport as never);
    const result = await client.callTool({ name: 'work', arguments: {} });
    expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
    expect(places.slice(0, 2)).toEqual(['e1', 'e1']);
    await client.close();
  });
});

describe('a stream of a model that is ended in its middle, without an error', () => {
  const streamOf =
    (...events: readonly string[]): Respond =>
    (_, response) => {
      response.writeHead(200, EVENT_STREAM);
      response.end(events.map((event) => `${event}\n\n`).join(''));
    };
  const named = (event: string, data: object): string =>
    `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}`;
  const chunk = `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'hi' } }] })}`;
  const started = [
    named('message_start', { message }),
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hi' } }),
  ];
  const ended = [
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
    named('message_stop', {}),
  ];
  const delta = named('response.output_text.delta', { delta: 'hi', sequence_number: 1 });
  const completed = named('response.completed', { sequence_number: 2, response: { id: 'r1', output: [] } });
  const body = { model: 'claude', max_tokens: 16, messages: [{ role: 'user' as const, content: 'hi' }] };

  interface Row {
    readonly name: string;
    readonly half: readonly string[];
    readonly rest: readonly string[];
    readonly isLast: ResumableOptions['isLast'];
    call(url: string, fetch: typeof globalThis.fetch): Promise<unknown>;
  }

  const openai = (url: string, fetch: typeof globalThis.fetch): OpenAI =>
    new OpenAI({ apiKey: 'key', baseURL: url, fetch, maxRetries: 0, logLevel: 'off' });
  const anthropic = (url: string, fetch: typeof globalThis.fetch): Anthropic =>
    new Anthropic({ apiKey: 'key', baseURL: url, fetch, maxRetries: 0, logLevel: 'off' });
  const all = async (stream: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of stream);
  };

  const rows: readonly Row[] = [
    {
      name: 'openai, chat.completions',
      half: [chunk],
      rest: ['data: [DONE]'],
      isLast: openaiIsLast,
      call: async (url, fetch) =>
        all(await openai(url, fetch).chat.completions.create({ model: 'm', messages: [], stream: true })),
    },
    {
      name: 'openai, responses',
      half: [delta],
      rest: [completed],
      isLast: openaiIsLast,
      call: async (url, fetch) =>
        all(await openai(url, fetch).responses.create({ model: 'm', input: 'hi', stream: true })),
    },
    {
      name: 'anthropic, create',
      half: started,
      rest: ended,
      isLast: anthropicIsLast,
      call: async (url, fetch) => all(await anthropic(url, fetch).messages.create({ ...body, stream: true })),
    },
    {
      name: 'anthropic, stream',
      half: started,
      rest: ended,
      isLast: anthropicIsLast,
      call: (url, fetch) => all(anthropic(url, fetch).messages.stream(body)),
    },
  ];

  test.each(rows)(
    '$name: is an error with isLast, and none without',
    async ({ half, rest, isLast, call }) => {
      await using server = await serving(streamOf(...half));
      await using good = await serving(streamOf(...half, ...rest));
      await expect(call(server.url, fetchWith({ isLast }))).rejects.toThrow(/terminated/);
      await expect(call(server.url, fetchWith({}))).resolves.toBeUndefined();
      await expect(call(good.url, fetchWith({ isLast }))).resolves.toBeUndefined();
    },
  );
});
