import { createPolicy } from '@ebb/core';
import { expect, test } from 'vitest';
import { clients } from './clients.ts';
import { serve } from './serve.ts';

test.each(Object.entries(clients))('%s refuses `ebb` options that are none', async (_, make) => {
  const server = await serve({ status: 200 });
  const client = make(createPolicy());
  for (const [ebb, shown] of [
    [null, 'null'],
    [5, '5'],
    [[], 'an array'],
  ])
    await expect(client.send(server.url, { ebb: ebb as never })).rejects.toThrow(
      `ebb: options must be an object, got ${shown}`,
    );
  await client.close();
});
