import { constant } from '@ebb/core';
import { expect, test } from 'vitest';
import { clients } from '../test/clients.ts';
import { failing, upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

test.each(clients)('$name: a hook that throws fails its own request alone', async (client) => {
  await using server = await upstream(failing(503, 404));
  let calls = 0;
  const classify = () => {
    calls += 1;
    if (calls === 1) throw new Error('broken');
    return 'success' as const;
  };
  const agent = new client.undici.Agent({ connections: 1 });
  const dispatcher = agent.compose(ebbInterceptor({ backoff: constant(0), classify }));
  const [broken, other] = await Promise.allSettled([
    client.send(server.url, dispatcher),
    client.send(server.url, dispatcher),
  ]);
  const error = broken.status === 'rejected' ? broken.reason : undefined;
  expect(client.isFetch ? error.cause : error).toMatchObject({ name: 'HookError', hook: 'classify' });
  expect(other).toMatchObject({ status: 'fulfilled', value: { status: 404 } });
  await agent.destroy();
});
