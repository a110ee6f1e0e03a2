import { createPolicy, type TokenBucket } from '@ebb/core';
import { valkeyBucket } from '@ebb/valkey';

const client = {
  evalsha: async (_sha1: string, _key: string, _args: readonly string[]): Promise<unknown> => [],
  eval: async (_script: string, _key: string, _args: readonly string[]): Promise<unknown> => [],
};
const bucket: TokenBucket = valkeyBucket({ client, key: 'quota', refillPerSecond: 10, capacity: 20 });
export const policy = createPolicy({ bucket });

// @ts-expect-error: no key
valkeyBucket({ client, refillPerSecond: 10 });
// @ts-expect-error: a string for a number
valkeyBucket({ client, key: 'quota', refillPerSecond: '10' });
// @ts-expect-error: not a client
valkeyBucket({ client: 12345, key: 'quota', refillPerSecond: 10 });
