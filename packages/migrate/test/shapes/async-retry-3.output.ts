import { likeAsyncRetry, type LikeAsyncRetryOptions } from '@ebb/compat';
import { retry } from '@ebb/core';

const config: LikeAsyncRetryOptions = { retries: 3, factor: 2, minTimeout: 1000, maxTimeout: 60000, randomize: true };

export async function saveUser(name: string): Promise<boolean> {
  return retry(async ({ attempt }) => {
    const res = await fetch('https://api.example.com/users', {
      method: 'PUT',
      headers: { 'x-try': `${attempt}` },
      body: JSON.stringify({ name }),
    });
    if (res.status !== 200) throw new Error('not saved');
    return true;
  }, likeAsyncRetry(config));
}
