import { constant, type PolicyOptions } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { clients } from '../test/clients.ts';
import { hastyUpstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const soon: PolicyOptions = { backoff: constant(0) };
const long = 'x'.repeat(1024 * 1024);

describe.each(clients.map((client) => [client.name, client] as const))(
  'a response before the upload is done, to %s',
  (_, client) => {
    test.each<[string, Record<string, string>]>([
      ['over a persistent connection', {}],
      ['over a connection that is closed', { connection: 'close' }],
    ])('%s: the next attempt sends all of it', async (_name, headers) => {
      const uploads: number[] = [];
      await using server = await hastyUpstream((response, incoming, number) => {
        if (number < 2) {
          response.writeHead(503, headers).end('early');
          return;
        }
        let bytes = 0;
        incoming.on('data', (part: Buffer) => {
          bytes += part.length;
        });
        incoming.on('end', () => {
          uploads.push(bytes);
          response.end('ok');
        });
      });
      const agent = new client.undici.Agent({ connections: 1 });
      const dispatcher = agent.compose(ebbInterceptor(soon));
      const got = await client.send(server.url, dispatcher, { method: 'PUT', body: long });
      expect([got.status, await got.text()]).toEqual([200, 'ok']);
      expect(uploads).toEqual([long.length]);
      await agent.destroy();
    });

    test('with a stream, which is sent once: the caller gets the response', async () => {
      await using server = await hastyUpstream((response) => {
        response.writeHead(503, { connection: 'close' }).end('early');
      });
      const agent = new client.undici.Agent();
      const dispatcher = agent.compose(ebbInterceptor(soon));
      const body = new Blob([long]).stream();
      const got = await client.send(server.url, dispatcher, { method: 'PUT', body });
      expect([got.status, await got.text()]).toEqual([503, 'early']);
      expect(server.seen).toHaveLength(1);
      await agent.destroy();
    });
  },
);
