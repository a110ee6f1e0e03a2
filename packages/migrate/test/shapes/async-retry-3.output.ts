import { type PolicyOptions, retry } from '@ebb/core';

// likeAsyncRetry c312

const config: PolicyOptions = { ...likeAsyncRetry, maxRetries: 3, backoff: ({ retry, random }) => Math.min(60000, 1000 * 2 ** (retry - 1) * (1 + random())) };

export async function saveUser(name: string): Promise<boolean> {
  return retry(async ({ attempt }) => {
    const res = await fetch('https://api.example.com/users', {
      method: 'PUT',
      headers: { 'x-try': `${attempt}` },
      body: JSON.stringify({ name }),
    });
    if (res.status !== 200) throw new Error('not saved');
    return true;
  }, config);
}
