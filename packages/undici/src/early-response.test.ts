import { constant } from '@ebb/core';
import { expect, onTestFinished, test } from 'vitest';
import { clients } from '../test/clients.ts';
import { hastyUpstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

const long = 'x'.repeat(1024 * 1024);

test.each(clients)(
  'a response before the upload is done, to $name: the next attempt sends all',
  async (client) => {
    for (const headers of [{}, { connection: 'close' }]) {
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
      onTestFinished(() => agent.destroy());
      const dispatcher = agent.compose(ebbInterceptor({ backoff: constant(0) }));
      const got = await client.send(server.url, dispatcher, { method: 'PUT', body: long });
      expect([got.status, await got.text()]).toEqual([200, 'ok']);
      expect(uploads).toEqual([long.length]);
    }
  },
);
