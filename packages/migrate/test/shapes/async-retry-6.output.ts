import { likeAsyncRetry, type LikeAsyncRetryOptions, withBail } from '@ebb/compat';
import { retry } from '@ebb/core';

const options: LikeAsyncRetryOptions = { retries: 4, minTimeout: 100, maxTimeout: 300, randomize: false };

async function task(): Promise<string> {
  const response = await fetch('https://api.example.com/task');
  if (!response.ok) throw new Error(`task: ${response.status}`);
  return response.text();
}

export async function runTask(): Promise<string> {
  return await retry(withBail(task), likeAsyncRetry(options));
}
