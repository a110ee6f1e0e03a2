// A quota belongs to a tenant, not to a host: one bucket for each, by a header, or by `key` for one request. It
// prints what of four requests at once is sent when each bucket holds two tokens and refuses the rest:
//   small: sent, sent, refused, refused
//   large: sent, sent, sent, sent
//   a key of its own: sent
import { bucketPerKey, createPolicy, ThrottledError, tokenBucket } from '@ebb/core';
import { createFetch, type EbbRequestInit } from '@ebb/fetch';

const bucket = bucketPerKey(
  (request) => request.header('x-tenant') ?? 'none',
  (tenant) => {
    const capacity = tenant === 'large' ? 20 : 2;
    return tokenBucket({ refillPerSecond: 1, capacity, nonConforming: 'reject' });
  },
  { maxKeys: 1_000 },
);
const fetch = createFetch(createPolicy({ bucket }), async () => new Response('ok'));

async function send(init: EbbRequestInit): Promise<string> {
  try {
    await fetch('http://upstream.test/', init);
    return 'sent';
  } catch (error) {
    if (error instanceof ThrottledError) return 'refused';
    throw error;
  }
}

for (const tenant of ['small', 'large']) {
  const headers = { 'x-tenant': tenant };
  console.log(`${tenant}: ${(await Promise.all([1, 2, 3, 4].map(() => send({ headers })))).join(', ')}`);
}
const ebb = { key: 'export' };
console.log(`a key of its own: ${await send({ headers: { 'x-tenant': 'small' }, ebb })}`);
