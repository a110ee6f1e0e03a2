// One bucket per tenant: the key is a header, or the `key` option of one request. Prints which of four simultaneous
// requests are sent. The bucket of "small" holds two tokens and rejects the rest; that of "large" holds twenty:
//   small: sent, sent, refused, refused
//   large: sent, sent, sent, sent
//   a key of its own: sent
import { createPolicy, NotSentError, perKey, tokenBucket } from '@ebb/core';
import { createFetch, type EbbRequestInit } from '@ebb/fetch';

const bucket = perKey(
  (tenant) => {
    const capacity = tenant === 'large' ? 20 : 2;
    return tokenBucket({ refillPerSecond: 1, capacity, nonConforming: 'reject' });
  },
  { keyOf: (request) => request.header('x-tenant') ?? 'none', maxKeys: 1_000 },
);
const fetch = createFetch(createPolicy({ bucket }), async () => new Response('ok'));

async function send(init: EbbRequestInit): Promise<string> {
  try {
    await fetch('http://upstream.test/', init);
    return 'sent';
  } catch (error) {
    if (error instanceof NotSentError) return 'refused';
    throw error;
  }
}

for (const tenant of ['small', 'large']) {
  const headers = { 'x-tenant': tenant };
  console.log(`${tenant}: ${(await Promise.all([1, 2, 3, 4].map(() => send({ headers })))).join(', ')}`);
}
const ebb = { key: 'export' };
console.log(`a key of its own: ${await send({ headers: { 'x-tenant': 'small' }, ebb })}`);
