import { type PolicyOptions, retry } from '@ebb/core';

// likeAsyncRetry c312

const options: PolicyOptions = { ...likeAsyncRetry, maxRetries: 4, backoff: ({ retry }) => Math.min(300, 100 * 2 ** (retry - 1)) };

async function task(): Promise<string> {
  const response = await fetch('https://api.example.com/task');
  if (!response.ok) throw new Error(`task: ${response.status}`);
  return response.text();
}

export async function runTask(): Promise<string> {
  return await retry(task, options);
}
