import { type PolicyOptions, retry } from '@ebb/core';

/** The defaults of async-retry: after any error without `bail` the function is called again. */
const likeAsyncRetry: PolicyOptions = {
  maxRetries: 10,
  backoff: ({ retry, random }) => (1 + random()) * 1000 * 2 ** (retry - 1),
  feedback: false,
  classify: (outcome) => {
    if (outcome.type === 'response' && outcome.status === 0) return 'success';
    return (outcome.error as { bail?: unknown } | undefined)?.bail ? 'final' : 'transient';
  },
};

const options: PolicyOptions = { ...likeAsyncRetry, maxRetries: 4, backoff: ({ retry }) => Math.min(300, 100 * 2 ** (retry - 1)) };

async function task(): Promise<string> {
  const response = await fetch('https://api.example.com/task');
  if (!response.ok) throw new Error(`task: ${response.status}`);
  return response.text();
}

export async function runTask(): Promise<string> {
  return await retry(task, options);
}
