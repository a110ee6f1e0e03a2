import { inspectBody } from '@ebb/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { versions } from '../test/clients.ts';
import { upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

describe.each(Object.entries(versions))('inspect of %s', (_, { Agent, request }) => {
  test.each(['close', 'destroy'] as const)('%s of an agent with a response that is held', async (end) => {
    const [held, closing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using server = await upstream((response) => {
      response.writeHead(200).write('{');
      void closing.promise.then(() => response.end('}'));
    });
    const agent = new Agent({ connections: 1 });
    onTestFinished(() => agent.destroy());
    const inspect = inspectBody(async (response) => {
      held.resolve();
      await response.text();
      return undefined;
    });
    const dispatcher = agent.compose(ebbInterceptor({ inspect }));
    const sent = request(server.url, { dispatcher }).then(({ body }) => body.text());
    await held.promise;
    const ended = agent[end]();
    if (end === 'close') {
      closing.resolve();
      expect(await sent).toBe('{}');
    } else await expect(sent).rejects.toMatchObject({ code: 'UND_ERR_DESTROYED' });
    await ended;
  });
});
