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
